"""The Celery application of the smoke test. What its tasks do, they write into the file MILLPOND_SMOKE_JOURNAL."""

import json
import os
import time

from celery import Celery

endpoint_host = os.environ["MILLPOND_SMOKE_HOST"]
journal = os.environ["MILLPOND_SMOKE_JOURNAL"]
predefined = os.environ.get("MILLPOND_SMOKE_QUEUE_URL")

app = Celery("smoke", broker=f"sqs://test:test@{endpoint_host}//")
app.conf.task_default_queue = "celery-smoke"
app.conf.worker_prefetch_multiplier = 1
app.conf.broker_connection_retry_on_startup = True
app.conf.worker_enable_remote_control = False
app.conf.task_ignore_result = True
app.conf.broker_transport_options = {
    "region": "us-east-1",
    "is_secure": False,
    "visibility_timeout": 5,
    "wait_time_seconds": 1,
    "polling_interval": 0.1,
}
if predefined:
    queue = {"url": predefined, "access_key_id": "test", "secret_access_key": "test"}
    app.conf.broker_transport_options["predefined_queues"] = {"celery-smoke": queue}


def note(**entry):
    with open(journal, "a", encoding="utf8") as file:
        file.write(json.dumps({**entry, "at": time.time()}) + "\n")


@app.task
def add(a, b):
    note(task="add", result=a + b)


@app.task(bind=True, max_retries=3)
def flaky(self):
    note(task="flaky", attempt=self.request.retries)
    if self.request.retries < 2:
        raise self.retry(countdown=0.5)


@app.task
def timed(due):
    note(task="timed", due=due)


@app.task(acks_late=True)
def careful(seconds):
    note(task="careful", step="begun")
    time.sleep(seconds)
    note(task="careful", step="done")
