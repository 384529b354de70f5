export { genAi, genAiMapper } from './gen-ai.ts';
