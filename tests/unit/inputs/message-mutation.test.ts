import {
  declaredMutations,
  Mutates,
  type MutationServices,
  permit,
} from '../../../src/api/inputs/message-mutation.ts';
import { messageMutations } from '../../../src/api/inputs/mutations.ts';
import type { Caller } from '../../../src/auth/caller.ts';
import { openApiDocument } from '../../support/openapi.ts';

const caller = { ip: '192.0.2.1' } as Caller;
const DECLARATION = {
  description: 'Renames a token.',
  path: '/tokens/rename',
  tag: 'session',
  summary: 'Rename a token',
  message: 'The token has been renamed.',
  run: async () => 'done',
} as const;
const NEED = { needs: 'update', audited: 'revocation' } as const;

/** What a class becomes that declares a mutation. The declaration is taken back: other tests share the list. */
function declaredBy(declaration: Parameters<typeof Mutates>[0]) {
  class RenameTokenInput {}
  Mutates(declaration)(RenameTokenInput);
  const mutation = declaredMutations.pop();
  if (!mutation) {
    throw new Error('nothing was declared');
  }
  return mutation;
}

/** An authorization that notes what it is asked, and refuses everything. */
function refusingServices() {
  const asked: unknown[] = [];
  const authorize = (...question: unknown[]) => {
    asked.push(question);
    return Promise.reject(new Error('refused'));
  };
  return { asked, services: { auth: { authorize } } as unknown as MutationServices };
}

test('a class declares a mutation of its name', () => {
  const { name, type, path } = declaredBy(DECLARATION);
  expect([name, type.name, path]).toEqual(['renameToken', 'RenameTokenInput', '/tokens/rename']);
});

test('a mutation with a need is refused if the token does not meet it', async () => {
  const { asked, services } = refusingServices();
  const mutation = declaredBy({ ...DECLARATION, needs: NEED });
  await expect(permit(mutation, services, caller)).rejects.toThrow('refused');
  expect(asked).toEqual([[NEED, caller]]);
});

test('a mutation without a need asks for no token', async () => {
  const { asked, services } = refusingServices();
  const run = await permit(declaredBy(DECLARATION), services, caller);
  await expect(run({})).resolves.toBe('done');
  expect(asked).toEqual([]);
});

test('every declared mutation is documented with its path, and needs a token in the document if it does here', () => {
  const { paths } = openApiDocument();
  const documented = messageMutations().map(({ name, path }) => [name, paths[`/api/v1/auth${path}`]?.post]);
  expect(documented.length).toBeGreaterThan(1);
  expect(documented).toEqual(
    messageMutations().map(({ name, needs }) => [
      name,
      expect.objectContaining({ operationId: name, security: needs ? [{ accessToken: [] }] : [] }),
    ]),
  );
});
