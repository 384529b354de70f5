"""A turn told by the OpenTelemetry SDK for Python: start, a request, signs of life, the end.

pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
"""
import os
import time

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

detector = os.environ.get("TURNWATCH_ENDPOINT", "http://127.0.0.1:4318")
provider = LoggerProvider(resource=Resource.create({"service.name": "python-agent"}))
# The default of a second is a second that each verdict comes later.
provider.add_log_record_processor(
    BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{detector}/v1/logs"), schedule_delay_millis=200)
)
logger = provider.get_logger("my-agent")
turn = os.environ.get("TURN_ID", f"python-{os.getpid()}")


def say(event: str, **attributes: str) -> None:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    logger.emit(
        timestamp=time.time_ns(),
        event_name=f"turnwatch.{event}",
        attributes={"turnwatch.turn.id": turn, **named},
    )


say("turn.started", turnwatch__turn__parent_id=os.environ.get("PARENT_ID", "planner"), gen_ai__agent__name="python")
say("request.started", turnwatch__request__id="r1")
for word in os.environ.get("WORDS", "one two three").split():
    say("stream.chunk", turnwatch__request__id="r1", turnwatch__chunk__kind="text")
    time.sleep(float(os.environ.get("PAUSE", "1")))
say("request.ended", turnwatch__request__id="r1", turnwatch__outcome="completed")
say("turn.ended", turnwatch__outcome="completed")
provider.shutdown()
