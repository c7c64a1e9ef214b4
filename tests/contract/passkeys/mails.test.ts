import { emailLinkSettings, nextMailTo, tokenIn, useMailedApp } from '../../support/email-links.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { accepted, addPasskey, loginCredential, PASSKEYS, passkeysByRest } from '../../support/passkeys.ts';
import { aPatient, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';

const { app, server } = useMailedApp((url) => ({ ...PASSKEYS, ...emailLinkSettings(url) }));

const act = (...words: Parameters<ReturnType<typeof passkeysByRest>>) => passkeysByRest(app.url)(...words);

test('an unproven e-mail gets no passkey; the owner hears of each, and how many a new password keeps', async () => {
  const patient = aPatient();
  const { token } = authenticated(await restApi(app.url).registerPatient(patient));
  const link = tokenIn(await nextMailTo(server, patient.email));
  const { password, email } = patient;
  const refused = await act('passkeyAddOptions', { password }, token);
  expect(refused.errors).toEqual({ email: ['Your email address is not verified.'] });
  succeeded(await restApi(app.url).verifyEmail({ token: link }));
  const { passkey, authenticator } = await addPasskey(app.url, { password, token }, undefined, {
    name: 'A name of a swindler',
  });
  const added = await nextMailTo(server, email);
  expect(added.subject).toBe('A passkey was added');
  expect(added.raw).not.toMatch(/swindler|unproven/);
  await addPasskey(app.url, { password, token });
  await nextMailTo(server, email);
  const newPassword = freshPassword();
  succeeded(
    await restApi(app.url).changePassword({ currentPassword: password, newPassword }, `Bearer ${token}`),
  );
  const changed = await nextMailTo(server, email);
  expect(changed.text).toMatch(/Passkeys with which one can still log in to it: 2\./);
  accepted(await act('removePasskey', { id: passkey.id, password: newPassword }, token));
  expect((await nextMailTo(server, email)).subject).toBe('A passkey was removed');
  // A reset of a proven e-mail keeps the others, and says so.
  succeeded(await restApi(app.url).requestPasswordReset({ email }));
  const reset = tokenIn(await nextMailTo(server, email));
  succeeded(await restApi(app.url).resetPassword({ token: reset, newPassword: freshPassword() }));
  expect((await nextMailTo(server, email)).text).toMatch(/can still log in to it: 1\./);
  const gone = await passkeysByRest(app.url)('loginWithPasskey', {
    credential: await loginCredential(app.url, authenticator),
  });
  expect(gone).toMatchObject({ ok: false, isUnknown: true });
});
