import assert from "node:assert/strict";
import test from "node:test";
import { mappedFunctionArn, readFunctionName } from "./function-name.ts";

const scope = { account: "000000000000", region: "us-east-1" };
const orders = { ...scope, name: "orders" };
const ARN = "arn:aws:lambda:us-east-1:000000000000:function:orders";

test("a function goes by its name, a partial ARN and an ARN, each with or without a qualifier", () => {
  assert.deepEqual(readFunctionName("orders", scope), { function: orders, form: "name" });
  assert.deepEqual(readFunctionName("orders:live", scope), { function: orders, form: "name", qualifier: "live" });
  const partial = readFunctionName("111122223333:function:orders:1", scope);
  assert.deepEqual(partial, { function: { ...orders, account: "111122223333" }, form: "partial", qualifier: "1" });
  assert.deepEqual(readFunctionName(`${ARN}:$LATEST`, scope), { function: orders, form: "arn", qualifier: "$LATEST" });
  const elsewhere = readFunctionName("arn:aws:lambda:eu-west-1:111122223333:function:orders", scope);
  assert.deepEqual(elsewhere?.function, { region: "eu-west-1", account: "111122223333", name: "orders" });
});

test("what is none of these names no function", () => {
  const wrong = ["", "a b", "orders:", "a:b:c:d", "arn:aws:sqs:us-east-1:000000000000:orders", "x".repeat(65), "ö"];
  for (const text of wrong) assert.equal(readFunctionName(text, scope), undefined, text);
});

test("a mapping keeps the qualifier, but for $LATEST behind a whole ARN", () => {
  const kept = (text: string) => mappedFunctionArn(readFunctionName(text, scope) as never);
  assert.equal(kept("orders"), ARN);
  assert.equal(kept("000000000000:function:orders:$LATEST"), `${ARN}:$LATEST`);
  assert.equal(kept(`${ARN}:$LATEST`), ARN);
  assert.equal(kept(`${ARN}:live`), `${ARN}:live`);
});
