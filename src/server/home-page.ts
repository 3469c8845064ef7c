// What a browser sees at "/": enough to know what answers here and where to go next.

import { VERSION } from "../config/index.ts";
import type { FrontRequest, FrontResponse } from "./http-front.ts";

/** A person who typed the address, not a client: GET / for HTML, without an action. */
export function isBrowserVisit(request: FrontRequest): boolean {
  const { method, target, headers } = request;
  return (method === "GET" || method === "HEAD") && target === "/" && (headers.accept ?? "").includes("text/html");
}

export function homePage(request: FrontRequest, region: string): FrontResponse {
  const endpoint = `${request.secure ? "https" : "http"}://${request.headers.host ?? request.localAuthority}`;
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Millpond</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 1rem}pre{background:#eef3f1;padding:1rem;overflow:auto}</style>
<h1>Millpond ${VERSION}</h1>
<p>This is a message server that speaks the SQS protocols. Point an AWS SDK or the AWS CLI at it:</p>
<pre>export AWS_ENDPOINT_URL=${escapeHtml(endpoint)} AWS_REGION=${escapeHtml(region)} AWS_DEFAULT_REGION=${escapeHtml(region)}
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
aws sqs create-queue --queue-name my-first-queue --endpoint-url $AWS_ENDPOINT_URL</pre>
<p><a href="/_millpond/queues">Queues</a> · <a href="/_millpond/status">Status</a> · <a href="/_millpond/health">Health</a></p>
</html>
`;
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    },
    body: page,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
