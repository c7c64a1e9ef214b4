import { type RequestHandler, Router } from 'express';
import type { Caller } from '../../auth/caller.ts';
import type { Features } from '../../auth/features.ts';
import type { Need } from '../../auth/tokens/abilities.ts';
import type { Session, Sessions } from '../../auth/tokens/sessions.ts';
import type { AdmittedEnrolment, EnrolmentAccess } from '../../auth/two-factor/enrolment-access.ts';
import { onlyMethod } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation } from '../http/request-record.ts';
import type { InputClass, InputValidator } from '../inputs/input-validator.ts';
import { OPERATIONS, type Operation, type OperationName } from '../inputs/operations.ts';
import { restName } from './presenters.ts';

export const PREFIX = '/api/v1/auth';

type Rows = typeof OPERATIONS;
/** The operations that have an endpoint. */
type Name = { [N in OperationName]: Rows[N] extends { rest: string } ? N : never }[OperationName];
/** Who has been authorized for an operation. */
type Authorized<N extends Name> = Rows[N] extends { takesChallenge: true }
  ? AdmittedEnrolment
  : Rows[N] extends { needs: 'no token' }
    ? undefined
    : Session;

/** The values in a path. Only a wildcard has several. */
type PathParameters = Readonly<Record<string, string>>;

/** Does an operation. @returns the body of the answer */
type Run<N extends Name, Input> = (
  input: Input,
  caller: Caller,
  authorized: Authorized<N>,
  path: PathParameters,
) => Promise<object>;

export interface EndpointParts {
  sessions: Sessions;
  enrolmentAccess: EnrolmentAccess;
  features: Features;
  validator: InputValidator;
  /** Read the fields of a request, in every form that the contract takes. */
  fields: RequestHandler[];
}

/** What an operation needs of the presented token; undefined if it looks at none. */
const needOf = ({ needs, ...row }: Operation): Need | undefined =>
  needs === 'no token' ? undefined : { ...row, needs };

/** The row before the body: then it is enough that there is any second factor. */
const earlyOf = (row: Operation): Operation =>
  row.feature === 'authenticator apps' ? { ...row, feature: 'second factor' } : row;

type Method = 'get' | 'post' | 'put';
const ALLOWED: Readonly<Record<Method, string>> = { get: 'GET, HEAD', post: 'POST', put: 'PUT' };

/** The endpoints of operations, each with the method, the path and the need of its row. */
export class Endpoints {
  readonly #handlers = new Map<string, Map<Method, RequestHandler[]>>();

  constructor(private readonly parts: EndpointParts) {}

  /**
   * An endpoint that takes fields. As in Laravel, a caller whose token is not valid, or may not do this, hears only that, whatever the
   * body is. The token is looked at again after the body: the session may have ended while it was sent.
   */
  take<N extends Name, Input extends object>(name: N, type: InputClass<Input>, run: Run<N, Input>): void {
    const { features, fields, sessions, validator } = this.parts;
    const row: Operation = OPERATIONS[name];
    const early = earlyOf(row);
    // Only the body has the challenge that may take the place of a token.
    const need = row.takesChallenge ? undefined : needOf(early);
    const before: RequestHandler = async (req, _res, next) => {
      features.demand(early.feature);
      if (need) {
        await sessions.authorize(need, callerOf(req));
      }
      next();
    };
    this.handle(name, before, ...fields, async (req, res) => {
      const input = await validator.read(type, req.body, restName);
      const caller = callerOf(req);
      const authorized = await this.#authorize(row, input, caller);
      res
        .status(row.status ?? 200)
        .json(await run(input, caller, authorized as Authorized<N>, req.params as PathParameters));
    });
  }

  /** An endpoint that takes no body. */
  read<N extends Name>(name: N, run: (caller: Caller, authorized: Authorized<N>) => Promise<object>): void {
    const row: Operation = OPERATIONS[name];
    this.handle(name, async (req, res) => {
      const caller = callerOf(req);
      res.json(await run(caller, (await this.#authorize(row, {}, caller)) as Authorized<N>));
    });
  }

  /** An endpoint that is written by hand. The log and the metrics call it by its path. */
  handle(name: Name, ...handlers: RequestHandler[]): void {
    const [method = '', path = ''] = OPERATIONS[name].rest.split(' ');
    const below = path.replace(PREFIX, '');
    const methods = this.#handlers.get(below) ?? new Map<Method, RequestHandler[]>();
    methods.set(method.toLowerCase() as Method, [operation(below.slice(1)), ...handlers]);
    this.#handlers.set(below, methods);
  }

  async #authorize(
    row: Operation,
    { challenge }: { challenge?: string },
    caller: Caller,
  ): Promise<Session | AdmittedEnrolment | undefined> {
    const { enrolmentAccess, features, sessions } = this.parts;
    const need = needOf(row);
    if (!need) {
      features.demand(row.feature);
      return undefined;
    }
    if (row.takesChallenge) {
      return enrolmentAccess.authorize(need, challenge, caller);
    }
    return row.endsToken ? sessions.authorizeLast(need, caller) : sessions.authorize(need, caller);
  }

  /** The router of all of them, relative to {@link PREFIX}. Every path refuses other methods. */
  router(): Router {
    const router = Router({ caseSensitive: true, strict: false });
    for (const [path, methods] of this.#handlers) {
      const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'));
      for (const [method, handlers] of methods) {
        route[method](...handlers);
      }
      route.all(onlyMethod([...methods.keys()].map((method) => ALLOWED[method]).join(', ')));
    }
    return router;
  }
}
