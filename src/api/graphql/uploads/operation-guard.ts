import type { Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { AuthService } from '../../../auth/auth-service.ts';
import type { Caller } from '../../../auth/caller.ts';
import type { Admission } from '../../../auth/doctor-documents.ts';
import type { ReviewService } from '../../../auth/reviews/review-service.ts';
import { BadRequestError, PayloadTooLargeError } from '../../../system/errors/errors.ts';
import { callerOf } from '../../http/requests/request-context.ts';
import { recordOf } from '../../http/requests/request-record.ts';
import { toServiceError } from '../../http/to-service-error.ts';
import type { MultipartBody } from '../../http/uploads/multipart-body.ts';
import type { UploadParts } from '../../http/uploads/uploads.ts';
import { noteAdmission } from '../context.ts';
import type { AuthResolver } from '../resolvers/auth.resolver.ts';
import type { ReviewResolver } from '../resolvers/review.resolver.ts';
import type { FieldGuard } from './upload-map.ts';
import { planUploads } from './upload-plan.ts';

/** The mutations that are admitted before their files are received. */
type Admitted = keyof Pick<AuthResolver, 'registerDoctor'> | keyof Pick<ReviewResolver, 'resubmitDocuments'>;

export interface GuardParts extends Pick<UploadParts, 'uploadLimits'> {
  auth: Pick<AuthService, 'admitRegistration'>;
  reviews: Pick<ReviewService, 'admitResubmission'>;
}

type Admit = (caller: Caller) => Promise<Admission>;

/** Thrown for operations that cannot run, so that no file is received for them. */
export class UnfitOperation extends Error {
  constructor(readonly operations: object) {
    super('the operation cannot be run');
  }
}

/**
 * Limits a GraphQL multipart request by its operation, as soon as that has arrived: its files and bytes, and who may
 * send them how often. By the specification `operations` comes first, then `map`, then the files.
 * https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export class OperationGuard implements FieldGuard {
  /** How many files may come; undefined before the operations. */
  #files: number | undefined;
  #hasMap = false;
  #received = 0;
  #admitted: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: GuardParts,
    private readonly schema: GraphQLSchema,
    private readonly exchange: { req: Request; body: MultipartBody },
  ) {}

  /** Rejects if the sender may not send the files of the operation, or not now. */
  get admitted(): Promise<void> {
    return this.#admitted;
  }

  operations(operations: object): void {
    if (this.#files !== undefined) {
      throw new BadRequestError('There must be one field operations.');
    }
    const plan = planUploads(this.schema, operations);
    if (!plan) {
      throw new UnfitOperation(operations);
    }
    const { maxTextBytes, maxFileBytes } = this.parts.uploadLimits;
    this.#files = plan.files;
    this.exchange.body.limitTo(maxTextBytes + plan.files * maxFileBytes);
    const [admitted, ...others] = this.#admittedBy(plan.fields);
    // Each takes a token or gives one, and an operation may have only one of these.
    if (others.length > 0) {
      throw new UnfitOperation(operations);
    }
    if (admitted) {
      this.#admit(...admitted);
    }
  }

  map(isInside: boolean): void {
    if (!isInside) {
      const text =
        'Every file of the map must have a place of its own in the variables, where the operations have null.';
      throw new BadRequestError(text);
    }
    this.#hasMap = true;
  }

  /** A file has begun. */
  file(): void {
    // The library refuses a file before the map.
    if (this.#files === undefined || !this.#hasMap) {
      return;
    }
    this.#received += 1;
    if (this.#received <= this.#files) {
      return;
    }
    const tooMany = new PayloadTooLargeError('more files than the operation has places for');
    this.exchange.body.destroy(
      this.#files > 0 ? tooMany : new BadRequestError('The operation takes no files.'),
    );
  }

  #admittedBy(fields: ReadonlySet<string>): [Admitted, Admit][] {
    const { auth, reviews } = this.parts;
    const admissions: Record<Admitted, Admit> = {
      registerDoctor: (caller) => auth.admitRegistration(caller),
      resubmitDocuments: (caller) => reviews.admitResubmission(caller),
    };
    return (Object.entries(admissions) as [Admitted, Admit][]).filter(([field]) => fields.has(field));
  }

  #admit(field: Admitted, admit: Admit): void {
    const { req, body } = this.exchange;
    recordOf(req).operation = field;
    this.#admitted = admit(callerOf(req))
      .then((admission) => noteAdmission(req, admission))
      .catch((refusal: unknown) => {
        throw toServiceError(refusal);
      });
    // Ends the request at once, without waiting for the rest of it.
    this.#admitted.catch((refusal: Error) => body.destroy(refusal));
  }
}
