import { graphql } from './gql';
import { ErrorCode } from './gql/enums';

const WhoAmI = graphql(`
  query WhoAmI {
    me {
      name
      role
      profile {
        specialization
      }
    }
  }
`);

type ResultOf<Document> = Document extends { __apiType?: (variables: never) => infer Result }
  ? Result
  : never;

/** Compiles only where the codegen knows the schema: its types, its enums, and the error codes. */
export function describe({ me }: ResultOf<typeof WhoAmI>): string {
  // @ts-expect-error: not asked for
  const unasked: unknown = me.email;
  const role: 'DOCTOR' | 'PATIENT' = me.role;
  return `${me.name} ${role} ${me.profile?.specialization ?? unasked} ${String(WhoAmI).length}`;
}

export const isRefusal = (code: string): boolean => code === ErrorCode.InvalidCredentials;
