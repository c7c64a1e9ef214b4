import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { graphql } from './gql';
import { ErrorCode, Role } from './gql/enums';

const RegisterPatient = graphql(`
  mutation RegisterPatient($input: RegisterPatientInput!) {
    registerPatient(input: $input) {
      account {
        name
        role
      }
      token
    }
  }
`);

const WhoAmI = graphql(`
  query WhoAmI {
    me {
      name
      role
      createdAt
    }
  }
`);

const RegisterDoctor = graphql(`
  mutation RegisterDoctor($input: RegisterDoctorInput!) {
    registerDoctor(input: $input) {
      token
    }
  }
`);

/** Compiles only if a document knows the types of its variables and its result. */
export async function visit(url: string, email: string) {
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${url}/graphql` }),
    cache: new InMemoryCache(),
  });
  const register = () =>
    client.mutate({
      mutation: RegisterPatient,
      variables: { input: { name: 'Apollo', email, password: 'correct horse' } },
    });
  const { data } = await register();
  const token: string = data?.registerPatient.token ?? '';
  const again = await register().catch((error: unknown) => error);
  const asked = await client.query({
    query: WhoAmI,
    context: { headers: { Authorization: `Bearer ${token}` } },
  });
  const me = asked.data?.me;
  // @ts-expect-error: the query does not select it
  const unasked: unknown = me?.email;
  const createdAt: string = me?.createdAt ?? '';
  return [
    me?.name ?? unasked,
    {
      isPatient: me?.role === Role.PATIENT,
      isDated: !Number.isNaN(Date.parse(createdAt)),
      isTakenEmailRefused: isInvalid(again),
    },
  ];
}

const isInvalid = (error: unknown): boolean =>
  CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.code === ErrorCode.BAD_USER_INPUT;

type VariablesOf<Document> = Document extends { __apiType?: (variables: infer Variables) => unknown }
  ? Variables
  : never;

/** A link for uploads takes the file itself. */
export const licenseOf = ({ input }: VariablesOf<typeof RegisterDoctor>): File => input.licenseFile;
