"""The fake Stack Exchange: questions with answers and comments, through a safe filter."""

import html

from fakeapi.corpus import licence

NESTED_ANSWERS = 30   # more than this are cut off, as an API might


class StackExchange:
    """Answers as (status, headers, data); the server adds quota, back-off and faults."""

    def __init__(self, corpus):
        self.corpus = corpus
        self.sorted = None

    def get(self, path, query, keyed):
        if path == "/filters/create":
            return wrapper([{"filter": "!synthetic", "filter_type": "safe",
                             "included_fields": query["include"].split(";")}])
        page, size = int(query.get("page", 1)), int(query.get("pagesize", 30))
        if page > 25 and not keyed:
            return error(403, "access_denied", "page above 25 requires access token or app key")
        parts = path.strip("/").split("/")
        if parts == ["questions"]:
            rows = self.listing(query)
        elif parts[0] == "questions" and len(parts) == 2:
            rows = [self.question(q) for q in self.by_ids(parts[1])]
        elif parts[0] == "questions" and parts[2] == "answers":
            rows = [self.answer(q, k) for q in self.by_ids(parts[1]) for k in range(q.n_answers)]
        elif parts[0] == "questions" and parts[2] == "comments":
            rows = [self.comment(q, q.number, k) for q in self.by_ids(parts[1])
                    for k in range(q.n_comments)]
        else:
            return error(404, "no_method", "this method cannot be called")
        rows, more = rows[(page - 1) * size:page * size], len(rows) > page * size
        if parts == ["questions"]:
            rows = [self.question(q) for q in rows]
        return wrapper(rows, more)

    def listing(self, query):
        since, until = int(query.get("fromdate", 0)), int(query.get("todate", 10**12))
        tags = set(query["tagged"].split(";"))
        if self.sorted is None:
            self.sorted = sorted(self.corpus.questions.values(),
                                 key=lambda q: (q.created, q.number))
        rows = [q for q in self.sorted if not q.deleted and tags <= set(q.tags)
                and since <= q.created <= until]
        if query.get("sort") == "activity":
            rows = sorted((q for q in rows if q.active >= int(query.get("min", 0))),
                          key=lambda q: (q.active, q.number))
        return rows

    def by_ids(self, ids):
        found = (self.corpus.questions.get(int(i)) for i in ids.split(";"))
        return [q for q in found if q and not q.deleted]

    def question(self, q):
        words = " and ".join(q.words) or "nothing"
        markdown = (f'Synthetic question about {words}: is "a < b" & b?\n\n'
                    "    import parallel\n\nThanks!")
        body = (f"<p>Synthetic question about {words}: is &quot;a &lt; b&quot; &amp; b?</p>\n"
                "<pre><code>import parallel\n</code></pre>\n<p>Thanks!</p>")
        title = f'Synthetic "question" {q.number}{" (edited)" * bool(q.revision)}'
        data = {
            "question_id": q.number, "title": html.escape(title), "body": body,
            "body_markdown": html.escape(markdown), "tags": list(q.tags),
            "owner": owner(q.number), "score": q.number % 7, "view_count": q.number % 1000,
            "answer_count": q.n_answers, "comment_count": q.n_comments,
            "creation_date": q.created, "last_activity_date": q.active,
            "link": f"https://stackoverflow.com/questions/{q.number}/synthetic",
            "content_license": licence(q.created),
            "answers": [self.answer(q, k) for k in range(min(q.n_answers, NESTED_ANSWERS))],
            "comments": [self.comment(q, q.number, k) for k in range(q.n_comments)]}
        if q.accepted:
            data["accepted_answer_id"] = q.number * 10
        if q.revision:
            data["last_edit_date"] = q.active
        return {k: v for k, v in data.items() if v != []}

    def answer(self, q, k):
        number = q.number * 10 + k if k < 10 else q.number * 1000 + k
        return {"answer_id": number, "question_id": q.number,
                "body": f"<p>Synthetic answer {k}</p>", "body_markdown": f"Synthetic answer {k}",
                "is_accepted": q.accepted and k == 0, "score": k,
                "owner": owner(number), "creation_date": q.created + 100 * (k + 1),
                "content_license": licence(q.created), "comment_count": 0}

    def comment(self, q, post, k):
        return {"comment_id": q.number * 20 + k, "post_id": post,
                "body_markdown": f"Synthetic comment {k}", "owner": owner(k), "score": 0,
                "creation_date": q.created + 10 * (k + 1), "content_license": licence(q.created)}


def owner(number):
    if number % 11 == 0:
        return {"user_type": "does_not_exist", "display_name": f"user{number}"}
    return {"user_id": number, "user_type": "registered", "display_name": "D&#39;Synthetic",
            "link": f"https://stackoverflow.com/users/{number}/synthetic"}


def wrapper(items, more=False):
    return 200, {}, {"items": items, "has_more": more}


def error(number, name, message):
    return 400, {}, {"error_id": number, "error_name": name, "error_message": message}
