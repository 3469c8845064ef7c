"""The program that a Python function's process runs: loads the handler, asks the Runtime API for invocations and posts
what comes of them. Runs in the function's process; needs nothing but the standard library.

    python3 python_runtime.py                 the handler is in _HANDLER, below LAMBDA_TASK_ROOT
    python3 python_runtime.py FILE FUNCTION   a file on disk
"""

import importlib
import json
import logging
import os
import socket
import sys
import time
import traceback

PREFIX = "/2018-06-01/runtime/"


class Connection:
    """One connection to the Runtime API. It answers in order and always names the length; that is all we understand.
    The process ends when the connection does: then nobody waits for it any more."""

    def __init__(self, authority):
        self.authority = authority
        host, port = authority.split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def post(self, path, body, error_type=None):
        self.socket.sendall(self._post_bytes(path, body, error_type))
        self._answer()

    def post_and_next(self, path, body, error_type=None):
        """The answer asks for more by a header of our own: one request for each invocation instead of two."""
        self.socket.sendall(self._post_bytes(path, body, error_type, "millpond-and-next: 1\r\n"))
        headers, event = self._answer()
        # Refused (too large, say), it is answered without an invocation.
        return (headers, event) if "lambda-runtime-aws-request-id" in headers else self.next()

    def next(self):
        self.socket.sendall(self._next_bytes())
        return self._answer()

    def _next_bytes(self):
        return f"GET {PREFIX}invocation/next HTTP/1.1\r\nhost: {self.authority}\r\n\r\n".encode()

    def _post_bytes(self, path, body, error_type, more=""):
        error = f"lambda-runtime-function-error-type: {error_type}\r\n" if error_type else ""
        head = (
            f"POST {PREFIX}{path} HTTP/1.1\r\nhost: {self.authority}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n{error}{more}\r\n"
        )
        return head.encode("ascii", "replace") + body

    def _answer(self):
        while b"\r\n\r\n" not in self.received:
            self._receive()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        headers = {}
        for line in head.decode("latin-1").split("\r\n")[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", 0))
        while len(self.received) < length:
            self._receive()
        body, self.received = self.received[:length], self.received[length:]
        return headers, body

    def _receive(self):
        chunk = self.socket.recv(262144)
        if not chunk:
            os._exit(1)
        self.received += chunk


class Fault(Exception):
    """What Lambda reports under a name of its own."""

    def __init__(self, error_type, message, stack_trace=None):
        super().__init__(message)
        self.error_type = error_type
        self.stack_trace = stack_trace or []


class CognitoIdentity:
    def __init__(self, fields):
        self.cognito_identity_id = fields.get("cognitoIdentityId")
        self.cognito_identity_pool_id = fields.get("cognitoIdentityPoolId")


class Client:
    def __init__(self, fields):
        self.installation_id = fields.get("installation_id")
        self.app_title = fields.get("app_title")
        self.app_version_name = fields.get("app_version_name")
        self.app_version_code = fields.get("app_version_code")
        self.app_package_name = fields.get("app_package_name")


class ClientContext:
    def __init__(self, fields):
        self.custom = fields.get("custom")
        self.env = fields.get("env")
        self.client = Client(fields["client"]) if fields.get("client") else None


class Context:
    def __init__(self, headers):
        self.aws_request_id = headers["lambda-runtime-aws-request-id"]
        self.invoked_function_arn = headers.get("lambda-runtime-invoked-function-arn")
        self.function_name = os.environ.get("AWS_LAMBDA_FUNCTION_NAME")
        self.function_version = os.environ.get("AWS_LAMBDA_FUNCTION_VERSION")
        self.memory_limit_in_mb = os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
        self.log_group_name = os.environ.get("AWS_LAMBDA_LOG_GROUP_NAME")
        self.log_stream_name = os.environ.get("AWS_LAMBDA_LOG_STREAM_NAME")
        self.identity = CognitoIdentity(json.loads(headers.get("lambda-runtime-cognito-identity", "{}")))
        client_context = headers.get("lambda-runtime-client-context")
        self.client_context = ClientContext(json.loads(client_context)) if client_context else None
        self._deadline_ms = int(headers["lambda-runtime-deadline-ms"])

    def get_remaining_time_in_millis(self):
        return max(0, self._deadline_ms - int(time.time() * 1000))

    def log(self, message):
        sys.stdout.write(str(message))


class RequestIdFilter(logging.Filter):
    request_id = ""

    def filter(self, record):
        record.aws_request_id = RequestIdFilter.request_id
        return True


def configure_logging():
    """Functions log through the root logger, as they find it in Lambda: prepared, at level WARNING."""
    handler = logging.StreamHandler(sys.stdout)
    formatter = logging.Formatter(
        "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s\n", "%Y-%m-%dT%H:%M:%S"
    )
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    handler.terminator = ""
    handler.addFilter(RequestIdFilter())
    logging.getLogger().addHandler(handler)


def load_handler():
    if len(sys.argv) == 3:
        file, function = sys.argv[1:]
        root, module = os.path.split(file)
        module = module[: -len(".py")]
    else:
        root = os.environ.get("LAMBDA_TASK_ROOT", os.getcwd())
        name = os.environ.get("_HANDLER", "")
        try:
            module, function = name.rsplit(".", 1)
        except ValueError as error:
            raise Fault("Runtime.MalformedHandlerName", f"Bad handler '{name}': {error}")
    # The interpreter put this program's folder first; a function sees its own.
    sys.path[0] = root
    try:
        loaded = importlib.import_module(module.replace("/", "."))
    except ImportError as error:
        raise Fault("Runtime.ImportModuleError", f"Unable to import module '{module}': {error}")
    except SyntaxError as error:
        place = f'  File "{error.filename}" Line {error.lineno}\n    {error.text}'
        raise Fault("Runtime.UserCodeSyntaxError", f"Syntax error in module '{module}': {error}", [place])
    try:
        return getattr(loaded, function)
    except AttributeError:
        raise Fault("Runtime.HandlerNotFound", f"Handler '{function}' missing on module '{module}'")


def describe(error, request_id):
    """The error as Lambda reports it, from the first frame that is not this program's."""
    if isinstance(error, Fault):
        message, error_type, trace = str(error), error.error_type, error.stack_trace
    else:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
        frames = [frame for frame in frames if not frame.filename.startswith("<frozen importlib")]
        # Without the marks under the part of a line that failed: Lambda does not print them.
        plain = [(frame.filename, frame.lineno, frame.name, frame.line) for frame in frames]
        message, error_type, trace = str(error), type(error).__name__, traceback.format_list(plain)
    return {"errorMessage": message, "errorType": error_type, "requestId": request_id, "stackTrace": trace}


def print_error(report):
    lines = [f"[ERROR] {report['errorType']}: {report['errorMessage']}", "Traceback (most recent call last):"]
    for frame in report["stackTrace"]:
        lines.extend(frame.splitlines())
    sys.stdout.write("\n".join(lines) + "\n")


def encode(value):
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def respond(handler, headers, body):
    """Runs one invocation: the path to post to, the body, and the error's type or None."""
    request_id = headers["lambda-runtime-aws-request-id"]
    try:
        result = handler(json.loads(body), Context(headers))
        try:
            return f"invocation/{request_id}/response", encode(result), None
        except (TypeError, ValueError) as error:
            raise Fault("Runtime.MarshalError", f"Unable to marshal response: {error}")
    except Exception as error:
        report = describe(error, request_id)
        print_error(report)
        return f"invocation/{request_id}/error", encode(report), report["errorType"]


def main():
    connection = Connection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    configure_logging()
    try:
        handler = load_handler()
    except Exception as error:
        report = describe(error, "")
        print_error(report)
        connection.post("init/error", encode(report), report["errorType"])
        sys.exit(1)
    headers, body = connection.next()
    while True:
        RequestIdFilter.request_id = headers["lambda-runtime-aws-request-id"]
        trace_id = headers.get("lambda-runtime-trace-id")
        if trace_id is None:
            os.environ.pop("_X_AMZN_TRACE_ID", None)
        else:
            os.environ["_X_AMZN_TRACE_ID"] = trace_id
        headers, body = connection.post_and_next(*respond(handler, headers, body))


if __name__ == "__main__":
    main()
