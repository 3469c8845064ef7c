"""Everyday SNS through boto3, whichever version runs this. Usage: boto3-sns-smoke.py ENDPOINT"""

import http.server
import json
import queue
import sys
import threading
import urllib.request

import boto3

[endpoint] = sys.argv[1:]


def client(service):
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


sns, sqs = client("sns"), client("sqs")


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def make_queue(name, **attributes):
    url = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return url, arn


def receive(url):
    more = {"AttributeNames": ["All"], "MessageAttributeNames": ["All"], "MaxNumberOfMessages": 10}
    messages = sqs.receive_message(QueueUrl=url, **more).get("Messages", [])
    for message in messages:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return messages


# A topic with a notification queue, a raw one and a filtered one.
topic = sns.create_topic(Name="spring", Tags=[{"Key": "team", "Value": "pond"}])["TopicArn"]
equal(sns.create_topic(Name="spring")["TopicArn"], topic)
equal(sns.list_tags_for_resource(ResourceArn=topic)["Tags"], [{"Key": "team", "Value": "pond"}])
plain, plain_arn = make_queue("plain")
raw, raw_arn = make_queue("raw")
sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=plain_arn)
filtered = sns.subscribe(
    TopicArn=topic,
    Protocol="sqs",
    Endpoint=raw_arn,
    Attributes={"RawMessageDelivery": "true", "FilterPolicy": json.dumps({"amount": [{"numeric": [">=", 10]}]})},
)["SubscriptionArn"]
pages = sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic)
equal(len([each for page in pages for each in page["Subscriptions"]]), 2)

text = "a pond — Mühle, 水車, 🌊\n<&>\"'"
attributes = {
    "amount": {"DataType": "Number", "StringValue": "12.5"},
    "bytes": {"DataType": "Binary", "BinaryValue": b"\x00\xff"},
}
published = sns.publish(TopicArn=topic, Message=text, Subject="Level", MessageAttributes=attributes)
sns.publish(TopicArn=topic, Message="no amount")
[message] = receive(raw)
equal(message["Body"], text)
equal(message["MessageAttributes"], attributes)
notifications = {each["MessageId"]: each for each in map(lambda each: json.loads(each["Body"]), receive(plain))}
equal(len(notifications), 2)
notification = notifications[published["MessageId"]]
equal((notification["Message"], notification["Subject"]), (text, "Level"))
equal(notification["MessageAttributes"]["amount"], {"Type": "Number", "Value": "12.5"})

# A text for queues, a batch, and what is refused.
sns.set_subscription_attributes(SubscriptionArn=filtered, AttributeName="FilterPolicy", AttributeValue="")
sns.publish(TopicArn=topic, MessageStructure="json", Message=json.dumps({"default": "d", "sqs": "s"}))
equal([each["Body"] for each in receive(raw)], ["s"])
batch = sns.publish_batch(
    TopicArn=topic,
    PublishBatchRequestEntries=[{"Id": "a", "Message": "1"}, {"Id": "b", "Message": "2"}],
)
equal(sorted(each["Id"] for each in batch["Successful"]), ["a", "b"])
equal(sorted(each["Body"] for each in receive(raw)), ["1", "2"])
try:
    sns.publish(TopicArn=topic, Message="")
    raise AssertionError("an empty message was taken")
except sns.exceptions.InvalidParameterException as error:
    equal(error.response["Error"]["Message"], "Invalid parameter: Empty message")

# FIFO: order and deduplication reach the queue.
steps = sns.create_topic(Name="steps.fifo", Attributes={"FifoTopic": "true", "ContentBasedDeduplication": "true"})["TopicArn"]
fifo, fifo_arn = make_queue("steps.fifo", FifoQueue="true")
sns.subscribe(TopicArn=steps, Protocol="sqs", Endpoint=fifo_arn, Attributes={"RawMessageDelivery": "true"})
numbers = [int(sns.publish(TopicArn=steps, Message=each, MessageGroupId="g")["SequenceNumber"]) for each in "aabc"]
equal(numbers[0], numbers[1])
equal(numbers, sorted(numbers))
equal([each["Body"] for each in receive(fifo)], ["a", "b", "c"])

# An endpoint that follows the link, as AWS's documentation tells endpoints to.
arrived = queue.Queue()


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        equal(self.headers["x-amz-sns-message-type"], body["Type"])
        self.send_response(200)
        self.end_headers()
        arrived.put(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/hook"
subscription = sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=url, ReturnSubscriptionArn=True)["SubscriptionArn"]
asked = arrived.get(timeout=20)
equal(asked["Type"], "SubscriptionConfirmation")
equal(urllib.request.urlopen(asked["SubscribeURL"]).status, 200)
equal(sns.get_subscription_attributes(SubscriptionArn=subscription)["Attributes"]["PendingConfirmation"], "false")
sns.publish(TopicArn=topic, Message="over http")
told = arrived.get(timeout=20)
equal((told["Type"], told["Message"], told["TopicArn"]), ("Notification", "over http", topic))

# Its unsubscribe link takes no signature, so the endpoint is told and may restore the subscription.
equal(urllib.request.urlopen(told["UnsubscribeURL"]).status, 200)
gone = arrived.get(timeout=20)
equal(gone["Type"], "UnsubscribeConfirmation")
equal(urllib.request.urlopen(gone["SubscribeURL"]).status, 200)
sns.publish(TopicArn=topic, Message="welcome back")
equal(arrived.get(timeout=20)["Message"], "welcome back")
server.shutdown()

for each in [topic, steps]:
    sns.delete_topic(TopicArn=each)
equal(sns.list_topics()["Topics"], [])
print(f"boto3 {boto3.__version__}: topics work as expected")
