const { default: OpenAI } = require('openai');

const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none', maxRetries: 0 });

async function main() {
  for (const content of process.argv.slice(2)) {
    const stream = await client.chat.completions.create({
      model: 'm1',
      messages: [{ role: 'user', content }],
      stream: true,
    });
    for await (const part of stream) process.stdout.write(part.choices[0]?.delta?.content ?? '');
  }
}

main();
