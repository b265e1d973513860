"""Engines that answer the SQL: DuckDB within this process, Spark alone or as a cluster."""

import contextlib
import shutil
from importlib.util import find_spec
from pathlib import Path

from mining.errors import MiningError

JAVA = ("Spark needs Java 17 or newer (on Debian or Ubuntu: sudo apt install "
        "default-jre-headless), or leave --engine out")
SPARK = "Spark is not installed; once: python reproduce.py scale --spark"


@contextlib.contextmanager
def opened(engine, tables):
    """``ask(sql)``, an iterator of rows as dicts in no order.

    Parameters
    ----------
    engine : str
        ``duckdb``, ``spark``, or the address of a cluster, ``spark://host:port``.
    tables : dict
        Name -> folder of Parquet files.
    """
    if engine == "duckdb":
        with _duckdb(tables) as ask:
            yield ask
    elif engine == "spark" or engine.startswith("spark://"):
        if not find_spec("pyspark"):
            raise MiningError(SPARK)
        if not shutil.which("java"):
            raise MiningError(JAVA)
        with _spark("local[2]" if engine == "spark" else engine, tables) as ask:
            yield ask
    else:
        raise MiningError(f"--engine {engine}: must be duckdb, spark or spark://HOST:PORT")


@contextlib.contextmanager
def _duckdb(tables):
    import duckdb
    with duckdb.connect() as db:
        db.execute("SET preserve_insertion_order=false")
        db.execute("SET memory_limit='2GB'")
        for name, folder in tables.items():
            place = str(Path(folder).resolve()).replace("'", "''")
            db.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{place}/*.parquet')")

        def ask(sql):
            for batch in db.sql(sql).to_arrow_reader(1000):
                yield from batch.to_pylist()

        yield ask


@contextlib.contextmanager
def _spark(master, tables):
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
    settings = {"spark.sql.session.timeZone": "UTC", "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR",
                "spark.cores.max": "64"}
    if master.startswith("local") or "//127.0.0.1:" in master:
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    builder = SparkSession.builder.master(master).appName("choose")
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # of the JVM, in many kinds
        raise MiningError(f"{master}: no Spark answers there "
                          f"({str(error).splitlines()[0][:120]})") from None
    try:
        for name, folder in tables.items():
            session.read.parquet(str(Path(folder).resolve())).createOrReplaceTempView(name)

        def ask(sql):
            for row in session.sql(sql).toLocalIterator():
                yield row.asDict()

        yield ask
    except PySparkException as error:
        raise MiningError(f"{master}: {str(error).splitlines()[0][:200]}") from None
    finally:
        session.stop()
