"""Whole dumps instead of the APIs: Posts.xml and GH Archive to Parquet, and a definition on them.

``ingest`` reads a source once into Parquet parts; ``choose`` selects from them with one SQL
text and the package's own judge. Needs the second environment (``python reproduce.py scale``);
importing this package alone needs the standard library only.
"""
