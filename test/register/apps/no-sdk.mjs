// An app that makes spans and leaves it to others who exports them.
import * as api from '@opentelemetry/api';

const ask = () =>
  fetch(`${process.env.MODEL_URL}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'm1',
      messages: [{ role: 'user', content: process.argv[2] }],
      stream: true,
    }),
  }).then((response) => response.text());

await ask();
api.trace.getTracer('app').startSpan('work').end();
process.stdout.write('done');
