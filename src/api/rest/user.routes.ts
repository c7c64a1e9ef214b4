import { Router } from 'express';
import type { Sessions } from '../../auth/tokens/sessions.ts';
import type { IdFormat } from '../../stores/ids.ts';
import type { Logger } from '../../system/log.ts';
import { jsonErrorHandler, onlyMethod } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation } from '../http/request-record.ts';
import { OPERATIONS } from '../inputs/operations.ts';
import { presentAccount } from './presenters.ts';

interface UserParts {
  sessions: Sessions;
  idFormat: IdFormat;
  log: Logger;
}

/** The caller's account record at `/api/v1/user`, as the legacy application has it (docs/contract.md). */
export function userRoutes({ sessions, idFormat, log }: UserParts): Router {
  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/')
    .all(onlyMethod('GET, HEAD'))
    .get(operation('user'), async (req, res) => {
      const { account } = await sessions.authorize(OPERATIONS.user, callerOf(req));
      res.json(presentAccount(account, idFormat));
    });
  router.use(jsonErrorHandler(log));
  return router;
}
