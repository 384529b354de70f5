import { OpenTelemetry } from '@ai-sdk/otel';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { registerTelemetry } from 'ai';

// The SDK's own telemetry, as its documentation has it.
globalThis.telemetry = new NodeSDK({ serviceName: 'an-app' });
globalThis.telemetry.start();
registerTelemetry(new OpenTelemetry());
