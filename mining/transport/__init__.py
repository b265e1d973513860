"""Requests and answers: what is sent, what an answer means, how long to wait."""
