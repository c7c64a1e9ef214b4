import * as auth from './auth';
import { Refusal } from './refusal';

const PASSWORD = 'correct horse';

const aPdf = (name: string): File => new File(['%PDF-1.4\n'], name, { type: 'application/pdf' });

const aDoctor = (email: string) => ({
  name: 'Dr. Ada Example',
  email,
  password: PASSWORD,
  phone: '+49 30 1234567',
  specialization: 'Cardiology',
  licenseNumber: 'L-1024',
  licenseFile: aPdf('license.pdf'),
  diplomaFile: aPdf('diploma.pdf'),
  certificationFile: aPdf('certification.pdf'),
});

async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const result = await call.catch((error: unknown) => error);
  if (!(result instanceof Refusal)) {
    throw result;
  }
  return result;
}

type Change = (init: RequestInit) => RequestInit;

/** What a recipe reports about a doctor's registration whose request is changed on the way. */
async function reported(email: string, change: Change): Promise<string> {
  const { fetch } = globalThis;
  globalThis.fetch = (url, init = {}) => fetch(url, change(init));
  const { message } = await refusalOf(auth.registerDoctor(aDoctor(email)));
  globalThis.fetch = fetch;
  return message;
}

const withoutPreflight: Change = ({ headers, ...init }) => {
  const others = [...new Headers(headers)].filter(([name]) => name !== 'apollo-require-preflight');
  return { ...init, headers: others };
};

const mapFirst: Change = ({ body, ...init }) => {
  const parts = [...(body as FormData)].sort(([a], [b]) => Number(b === 'map') - Number(a === 'map'));
  const form = new FormData();
  for (const [name, value] of parts) {
    form.append(name, value);
  }
  return { ...init, body: form };
};

/** What a recipe reports if a proxy answers instead of the gateway. */
async function reportedOfProxy(email: string): Promise<string> {
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response('<h1>Bad Gateway</h1>', { status: 502 });
  const message = await auth.login({ email, password: PASSWORD }).then(
    () => 'logged in',
    (error: Error) => error.message,
  );
  globalThis.fetch = fetch;
  return message;
}

/** Calls all functions of a recipe. Compiles only if the types of the inputs and the answers are known. */
export async function visit(email: string, newPassword: string, resetToken: string) {
  const patient = { name: 'Pat Example', email: `pat.${email}`, password: PASSWORD };
  const registered = await auth.registerPatient(patient);
  // @ts-expect-error: the operation does not select it
  const unasked: unknown = registered.account.email;
  const invalid = await refusalOf(auth.registerPatient({ ...patient, name: '', password: 'short' }));
  const doctor = await auth.registerDoctor(aDoctor(`dr.${email}`));
  const me = await auth.me();
  const created: string = me.createdAt;
  await auth.logout();
  const out = await refusalOf(auth.me());
  const wrong = await refusalOf(auth.login({ email, password: 'wrong horse' }));
  const message: string = await auth.resetPassword({ token: resetToken, newPassword });
  // @ts-expect-error: a code is one of the schema's
  const unknownCode = out.code === 'EXPIRED';
  return {
    registered: [registered.account.role, unasked, typeof registered.token],
    invalid: [invalid.code, invalid.fields],
    doctor: [doctor.account.role, doctor.profile.licenseFileUrl],
    me: [me.email, me.profile?.specialization, new Date(created).toISOString() === created],
    out: [out.code, unknownCode],
    wrong: [wrong.code, wrong.message],
    reset: [message, (await auth.login({ email, password: newPassword })).account.name],
    withoutPreflight: await reported(email, withoutPreflight),
    mapFirst: await reported(email, mapFirst),
    proxy: await reportedOfProxy(email),
    link: (await refusalOf(auth.requestPasswordReset(email))).code,
  };
}
