"""Sends the tasks of celery_tasks.py: "first" all but the careful one, "careful" that one."""

import sys
import time

import celery_tasks

if sys.argv[1] == "first":
    celery_tasks.add.delay(2, 3)
    celery_tasks.flaky.delay()
    due = time.time() + 2
    celery_tasks.timed.apply_async((due,), countdown=2)
else:
    celery_tasks.careful.delay(float(sys.argv[2]))
