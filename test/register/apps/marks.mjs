// Prints what was left in the process before the app.
const marks = ['turnwatch.stream-observer', 'turnwatch.follows.ai-sdk', 'opentelemetry.js.api.1'];
console.log(JSON.stringify(marks.filter((mark) => Reflect.has(globalThis, Symbol.for(mark)))));
