"""Everyday SQS through boto3, whichever version runs this. Usage: boto3-smoke.py ENDPOINT PROTOCOL PREFIX"""

import json
import sys
import time

import boto3

endpoint, protocol, prefix = sys.argv[1:]
sqs = boto3.client(
    "sqs",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="test",
    aws_secret_access_key="test",
)
model = sqs.meta.service_model
spoken = getattr(model, "resolved_protocol", None) or model.metadata["protocol"]
assert spoken == protocol, f"boto3 {boto3.__version__} speaks {spoken}"


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def receive(url, **more):
    more = {"AttributeNames": ["All"], "MessageAttributeNames": ["All"], "MaxNumberOfMessages": 10, **more}
    return sqs.receive_message(QueueUrl=url, **more).get("Messages", [])


def arn_of(url):
    return sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]


# Create, find, tag.
url = sqs.create_queue(QueueName=f"{prefix}-plain", Attributes={"VisibilityTimeout": "45"}, tags={"team": "pond"})["QueueUrl"]
equal(sqs.get_queue_url(QueueName=f"{prefix}-plain")["QueueUrl"], url)
equal(sqs.list_queue_tags(QueueUrl=url)["Tags"], {"team": "pond"})
pages = sqs.get_paginator("list_queues").paginate(QueueNamePrefix=prefix, PaginationConfig={"PageSize": 1})
equal([found for page in pages for found in page.get("QueueUrls", [])], [url])
equal(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]["VisibilityTimeout"], "45")
try:
    sqs.get_queue_url(QueueName=f"{prefix}-absent")
    raise AssertionError("an absent queue was found")
except sqs.exceptions.QueueDoesNotExist as error:
    equal(error.response["Error"]["Code"], "AWS.SimpleQueueService.NonExistentQueue")

# Send, receive, delete. boto3 checks the MD5 of bodies and attributes itself.
body = "a pond — Mühle, 水車, 🌊\r\n<&>\"'"
attributes = {
    "text": {"DataType": "String", "StringValue": "ü"},
    "number": {"DataType": "Number", "StringValue": "12.5"},
    "bytes": {"DataType": "Binary", "BinaryValue": b"\x00\xff"},
}
sent = sqs.send_message(QueueUrl=url, MessageBody=body, MessageAttributes=attributes)
[message] = receive(url)
equal(message["MessageId"], sent["MessageId"])
equal(message["Body"], body)
equal(message["MessageAttributes"], attributes)
equal(message["Attributes"]["ApproximateReceiveCount"], "1")
equal(receive(url), [])
sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
[message] = receive(url)
equal(message["Attributes"]["ApproximateReceiveCount"], "2")
sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

# Batches with one entry that fails.
batch = sqs.send_message_batch(
    QueueUrl=url,
    Entries=[{"Id": "good", "MessageBody": "good"}, {"Id": "bad", "MessageBody": "bad\x00"}],
)
equal([entry["Id"] for entry in batch["Successful"]], ["good"])
equal([(entry["Id"], entry["Code"]) for entry in batch["Failed"]], [("bad", "InvalidMessageContents")])
[message] = receive(url)
deleted = sqs.delete_message_batch(QueueUrl=url, Entries=[{"Id": "1", "ReceiptHandle": message["ReceiptHandle"]}])
equal(deleted["Successful"], [{"Id": "1"}])

# A long poll that times out on time, and a delay.
started = time.monotonic()
sqs.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=1)
equal(receive(url), [])
[message] = receive(url, WaitTimeSeconds=5)
equal(message["Body"], "later")
assert 0.9 < time.monotonic() - started < 4, "the long poll ended when the delay was over"
sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

# Dead-letter queue, and back from it.
dead_url = sqs.create_queue(QueueName=f"{prefix}-dead")["QueueUrl"]
policy = json.dumps({"deadLetterTargetArn": arn_of(dead_url), "maxReceiveCount": 1})
sqs.set_queue_attributes(QueueUrl=url, Attributes={"RedrivePolicy": policy})
equal(sqs.list_dead_letter_source_queues(QueueUrl=dead_url)["queueUrls"], [url])
sqs.send_message(QueueUrl=url, MessageBody="poison")
equal(len(receive(url, VisibilityTimeout=0)), 1)
equal(receive(url), [])
[message] = receive(dead_url, VisibilityTimeout=0)
equal(message["Body"], "poison")
equal(message["Attributes"]["DeadLetterQueueSourceArn"], arn_of(url))
if hasattr(sqs, "start_message_move_task"):
    sqs.start_message_move_task(SourceArn=arn_of(dead_url))
    [message] = receive(url, WaitTimeSeconds=5)
    equal(message["Body"], "poison")

# FIFO: order within a group, one group held while its message is out, duplicates dropped.
fifo_url = sqs.create_queue(QueueName=f"{prefix}.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
numbers = []
for step in ["one", "two", "two", "three"]:
    answer = sqs.send_message(QueueUrl=fifo_url, MessageBody=step, MessageGroupId="g", MessageDeduplicationId=step)
    numbers.append(int(answer["SequenceNumber"]))
equal(numbers, sorted(numbers))
equal(len(set(numbers)), 3)
for step in ["one", "two", "three"]:
    [message] = receive(fifo_url, MaxNumberOfMessages=1)
    equal(message["Body"], step)
    equal(receive(fifo_url), [])
    sqs.delete_message(QueueUrl=fifo_url, ReceiptHandle=message["ReceiptHandle"])
equal(receive(fifo_url), [])

# Purge and delete.
sqs.send_message(QueueUrl=dead_url, MessageBody="swept away")
sqs.purge_queue(QueueUrl=dead_url)
equal(receive(dead_url), [])
for each in [url, dead_url, fifo_url]:
    sqs.delete_queue(QueueUrl=each)
equal(sqs.list_queues(QueueNamePrefix=prefix).get("QueueUrls", []), [])
print(f"boto3 {boto3.__version__} ({protocol}): all as expected")
