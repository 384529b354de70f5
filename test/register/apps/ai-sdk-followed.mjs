// As ai-sdk.mjs, with the line that names its turns.
import { followAiSdk } from '@turnwatch/instrumentation-ai-sdk';

followAiSdk({ turn: () => ({ agent: 'named' }) });
await import('./ai-sdk.mjs');
