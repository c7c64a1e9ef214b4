import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  separateOperations,
  type Token,
  TokenKind,
} from 'graphql';
import { PACKAGE_ROOT } from '../../system/own-package.ts';

/** An operation that is ready to run. */
export interface ExampleOperation {
  query: string;
  /** As JSON. Each file is null, and the page offers to choose one there. The page fills in texts such as `{{email}}`. */
  variables?: string;
}

/**
 * The order in which a newcomer can run them: each succeeds after those before it, as the person whom the last registration
 * or login was for. What needs more than that comes later, and says so in a comment. After the account is deleted, nothing needs it.
 */
const ORDER = [
  'RegisterPatient',
  'Login',
  'Me',
  'MyTokens',
  'RevokeToken',
  'RevokeOtherTokens',
  'UpdateMyProfile',
  'Logout',
  'RegisterDoctor',
  'ChangePassword',
  'ExportMyData',
  'StepUp',
  'MyTwoFactor',
  'EnableTwoFactor',
  'ConfirmTwoFactor',
  'RenewRecoveryCodes',
  'DisableTwoFactor',
  'CompleteLogin',
  'MyPasskeys',
  'RenamePasskey',
  'RemovePasskey',
  'RequestEmailVerification',
  'ChangeEmail',
  'VerifyEmail',
  'RequestPasswordReset',
  'ResetPassword',
  'Invitation',
  'ResubmitDocuments',
  'DeleteMyAccount',
  'DoctorsForReview',
  'DoctorForReview',
  'DecideOnDoctor',
];

/** What only the dialogs of a browser can fill in. The page would have more tabs than it has space for. */
const WITHOUT_TAB = [
  'PasskeyLoginOptions',
  'LoginWithPasskey',
  'PasskeyConfirmOptions',
  'PasskeyAddOptions',
  'AddPasskey',
];

/** Moves the operation before its fragments, because people read it first. */
const operationFirst = ({ definitions, ...document }: DocumentNode): DocumentNode => ({
  ...document,
  definitions: [
    ...definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION),
    ...definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION),
  ],
});

/** The comment lines directly above an operation, which `print` drops. */
function commentOf(operation: OperationDefinitionNode | undefined): string {
  const lines: string[] = [];
  let token: Token | null | undefined = operation?.loc?.startToken.prev;
  while (token?.kind === TokenKind.COMMENT) {
    lines.unshift(`#${token.value}\n`);
    token = token.prev;
  }
  return lines.join('');
}

let cached: Promise<ExampleOperation[]> | undefined;

/**
 * Every operation of `schema/operations` but those {@link WITHOUT_TAB}, with its fragments and its example variables. They are read once: anyone may open the
 * page, and to parse and print all of them takes longer than most requests.
 */
export function findOperations(): Promise<ExampleOperation[]> {
  cached ??= readOperations().catch((error: unknown) => {
    cached = undefined;
    throw error;
  });
  return cached;
}

async function readOperations(): Promise<ExampleOperation[]> {
  const folder = path.join(PACKAGE_ROOT, 'schema/operations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  const examples: Record<string, unknown> = JSON.parse(
    await readFile(path.join(PACKAGE_ROOT, 'schema/example-variables.json'), 'utf8'),
  );
  const document = parse(texts.join('\n'));
  return Object.entries(separateOperations(document))
    .filter(([name]) => !WITHOUT_TAB.includes(name))
    .sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))
    .map(([name, separate]) => ({
      query: commentOf(findOperation(document, name)) + print(operationFirst(separate)),
      ...(name in examples && { variables: JSON.stringify(examples[name], null, 2) }),
    }));
}

const findOperation = ({ definitions }: DocumentNode, name: string): OperationDefinitionNode | undefined =>
  definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .find((operation) => operation.name?.value === name);
