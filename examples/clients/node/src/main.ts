import { type AuthError, createAuthClient } from '@auth-gateway/client';

const client = createAuthClient({ url: 'http://127.0.0.1:4000' });
const email = `pat.${Date.now()}@example.org`;
const password = 'correct horse';

/** What to tell a person about an error. */
function textOf(error: AuthError<string>): string {
  if (error.code === 'BAD_USER_INPUT') {
    return Object.entries(error.fields)
      .map(([field, texts]) => `${field}: ${texts?.join(' ')}`)
      .join('\n');
  }
  if (error.code === 'TOO_MANY_ATTEMPTS') {
    return `Try again in ${error.retryAfterSeconds} seconds.`;
  }
  return error.message;
}

const patient = await client.registerPatient({ name: 'Pat Example', email, password });
console.log(patient.ok ? patient.data.account.name : textOf(patient.error));

// The same e-mail again, which prints: email: The email has already been taken.
const again = await client.registerPatient({ name: 'Pat Example', email, password });
console.log(again.ok ? again.data.account.name : textOf(again.error));

const doctor = await client.registerDoctor({
  name: 'Dr. Ada Example',
  email: `dr.${email}`,
  password,
  phone: '+49 30 1234567',
  specialization: 'Cardiology',
  licenseNumber: 'L-1024',
  licenseFile: 'license.pdf',
  diplomaFile: 'diploma.pdf',
  certificationFile: 'certification.pdf',
});
console.log(doctor.ok ? doctor.data.profile.licenseFileUrl : textOf(doctor.error));

const login = await client.login({ email, password });
const me = await client.me();
console.log(login.ok && client.token, me.ok ? `${me.data.name} (${me.data.role})` : textOf(me.error));

const out = await client.logout();
console.log(out.ok ? out.data.message : textOf(out.error));

// Without a mail server (SMTP_URL), this prints that operators make the links.
const reset = await client.password.requestReset(email);
console.log(reset.ok ? 'A mail is on its way.' : textOf(reset.error));
const changed = await client.password.reset({
  token: 'the token of the link',
  newPassword: 'battery staple horse',
});
console.log(changed.ok ? 'You can log in.' : textOf(changed.error));
