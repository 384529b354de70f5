import { type Quietly, quietlyFor } from '@turnwatch/instrumentation/framework';

export const quietly: Quietly = quietlyFor('ACP');
