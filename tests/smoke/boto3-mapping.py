"""Deploys a zip as a function and maps a queue to it: boto3-mapping.py ENDPOINT ZIP EFFECTS QUEUE_ARN"""

import sys

import boto3

endpoint, archive, effects, queue_arn = sys.argv[1:]
client = boto3.client(
    "lambda",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="test",
    aws_secret_access_key="test",
)
with open(archive, "rb") as file:
    client.create_function(
        FunctionName="worker",
        Runtime="nodejs20.x",
        Handler="index.handler",
        Role="arn:aws:iam::000000000000:role/functions",
        Timeout=2,
        Code={"ZipFile": file.read()},
        Environment={"Variables": {"EFFECTS": effects}},
    )
client.get_waiter("function_active_v2").wait(FunctionName="worker")
mapping = client.create_event_source_mapping(
    EventSourceArn=queue_arn,
    FunctionName="worker",
    FunctionResponseTypes=["ReportBatchItemFailures"],
)
assert mapping["State"] in ("Creating", "Enabled"), mapping["State"]
assert client.list_event_source_mappings(FunctionName="worker")["EventSourceMappings"][0]["UUID"] == mapping["UUID"]
