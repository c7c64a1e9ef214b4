import type { Request } from 'express';
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import type { Caller } from '../../auth/caller.ts';
import type { Admission } from '../../auth/doctor-documents.ts';
import type { Registration } from '../../auth/registration.ts';
import type { Resubmission } from '../../auth/reviews/resubmission.ts';
import type { Sessions } from '../../auth/tokens/sessions.ts';
import { BadRequestError, PayloadTooLargeError } from '../../system/errors.ts';
import type { MultipartBody } from '../http/bodies/multipart-body.ts';
import type { UploadParts } from '../http/bodies/uploads.ts';
import { toServiceError } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { recordOf } from '../http/request-record.ts';
import { OPERATIONS } from '../inputs/operations.ts';
import { Upload } from '../inputs/upload.scalar.ts';
import { noteAdmission } from './context.ts';
import { refusalOf } from './limits/document-check.ts';
import { LIMITS } from './limits/limits.ts';
import { rootFieldsOf } from './operation.ts';
import type { AuthResolver } from './resolvers/auth.resolver.ts';
import type { ReviewResolver } from './resolvers/review.resolver.ts';

/** The mutations that are admitted before their files are received. */
type Admitted = keyof Pick<AuthResolver, 'registerDoctor'> | keyof Pick<ReviewResolver, 'resubmitDocuments'>;

export interface GuardParts extends Pick<UploadParts, 'uploadLimits'> {
  sessions: Sessions;
  registration: Pick<Registration, 'admit'>;
  resubmission: Pick<Resubmission, 'admit'>;
}

type Admit = (caller: Caller) => Promise<Admission>;

/** Thrown for operations that cannot run, so that no file is received for them. */
export class UnrunnableOperationError extends Error {
  constructor(readonly operations: object) {
    super('the operation cannot be run');
  }
}

/**
 * Limits a GraphQL multipart request by its operation, as soon as that has arrived: its files and bytes, and who may
 * send them how often. By the specification `operations` comes first, then `map`, then the files.
 * https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export class UploadGuard {
  /** How many files may come, and into how many places. */
  #files = 0;
  #received = 0;
  /** Rejects if the sender may not send the files of the operation, or not now. */
  admitted: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: GuardParts,
    private readonly schema: GraphQLSchema,
    private readonly exchange: { req: Request; body: MultipartBody },
  ) {}

  /** @throws UnrunnableOperationError, PayloadTooLargeError */
  operations(operations: object): void {
    const plan = planUploads(this.schema, operations);
    if (!plan) {
      throw new UnrunnableOperationError(operations);
    }
    const { maxTextBytes, maxFileBytes } = this.parts.uploadLimits;
    this.#files = plan.files;
    this.exchange.body.limitTo(maxTextBytes + plan.files * maxFileBytes);
    const { sessions, registration, resubmission } = this.parts;
    const { resubmitDocuments } = OPERATIONS;
    const admissions: [Admitted, Admit][] = [
      ['registerDoctor', (caller) => registration.admit(caller, plan.invitation)],
      [
        'resubmitDocuments',
        async (caller) => resubmission.admit(await sessions.authorize(resubmitDocuments, caller), caller),
      ],
    ];
    const [admitted, ...others] = admissions.filter(([field]) => plan.fields.has(field));
    // Each takes a token or gives one, and an operation may have only one of these.
    if (others.length > 0) {
      throw new UnrunnableOperationError(operations);
    }
    if (admitted) {
      this.#admit(...admitted);
    }
  }

  /**
   * The map gives files so many places.
   * @throws BadRequestError, PayloadTooLargeError
   */
  places(count: number): void {
    if (count > this.#files) {
      throw this.#files > 0
        ? new PayloadTooLargeError('more files than the operation has places for')
        : new BadRequestError('The operation takes no files.');
    }
  }

  /** A file has begun. */
  file(): void {
    this.#received += 1;
    this.places(this.#received);
  }

  #admit(field: Admitted, admit: Admit): void {
    const { req, body } = this.exchange;
    recordOf(req).operation = field;
    this.admitted = admit(callerOf(req))
      .then((admission) => noteAdmission(req, admission))
      .catch((refusal: unknown) => {
        throw toServiceError(refusal);
      });
    // Ends the request at once, without waiting for the rest of it.
    this.admitted.catch((refusal: Error) => body.destroy(refusal));
  }
}

/** The files that an operation can use. */
interface UploadPlan {
  /** How many files its arguments have places for. */
  files: number;
  /** Its root fields. */
  fields: ReadonlySet<string>;
  /** The token of the invitation that a registration names. The service looks at it again when the input is whole. */
  invitation: string | undefined;
}

/**
 * Finds the files that an operation can use, before any of them is received. The operation need not be valid: Apollo checks
 * that later, and its root fields are enough here.
 * @param operations the field of that name of a GraphQL multipart request
 * @returns undefined if the operation cannot run at all: no document, one that is refused, a syntax error, no such operation
 */
function planUploads(schema: GraphQLSchema, operations: object): UploadPlan | undefined {
  const { query, operationName, variables } = operations as Record<string, unknown>;
  const document = typeof query === 'string' ? parsed(query) : undefined;
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = document && getOperationAST(document, name);
  if (!operation) {
    return undefined;
  }
  const selected = rootFieldsOf(document, operation);
  const fields = new Set(selected.map((field) => field.name.value));
  const [input] = selected.flatMap(
    (field) => field.arguments?.filter(({ name }) => name.value === 'input') ?? [],
  );
  const { invitation } = Object(input && valueFromASTUntyped(input.value, Object(variables)));
  const known = schema.getRootType(operation.operation)?.getFields() ?? {};
  const places = [...fields].flatMap((field) => known[field]?.args ?? []).map(({ type }) => placesIn(type));
  return {
    fields,
    invitation: typeof invitation === 'string' ? invitation : undefined,
    files: places.reduce((sum, count) => sum + count, 0),
  };
}

function parsed(query: string): DocumentNode | undefined {
  if (refusalOf(query)) {
    return undefined;
  }
  try {
    return parse(query, { maxTokens: LIMITS.tokens, noLocation: true });
  } catch {
    return undefined;
  }
}

/** Counts a list of files as one; this schema has no such list. It has no recursive inputs either. */
function placesIn(type: GraphQLInputType): number {
  const named = getNamedType(type);
  if (named === Upload) {
    return 1;
  }
  if (!isInputObjectType(named)) {
    return 0;
  }
  return Object.values(named.getFields()).reduce((sum, field) => sum + placesIn(field.type), 0);
}
