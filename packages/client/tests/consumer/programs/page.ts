import { createAuthClient, type FieldErrors } from '@auth-gateway/client';

/** Registers a doctor with the values of a form, and returns the errors to show beside its fields. */
export async function register(
  form: FormData,
  bar: HTMLProgressElement,
  signal: AbortSignal,
): Promise<FieldErrors<'licenseFile' | 'email'>> {
  const text = (name: string) => String(form.get(name) ?? '');
  const file = (name: string) => {
    const value = form.get(name);
    return value instanceof File ? value : null;
  };
  const client = createAuthClient({ url: '/', token: localStorage.getItem('token') });
  const result = await client.registerDoctor(
    {
      name: text('name'),
      email: text('email'),
      password: text('password'),
      phone: text('phone'),
      specialization: text('specialization'),
      licenseNumber: text('licenseNumber'),
      licenseFile: file('licenseFile'),
      diplomaFile: file('diplomaFile'),
      certificationFile: file('certificationFile'),
    },
    {
      signal,
      onProgress: ({ sentBytes, totalBytes }) => {
        bar.value = sentBytes / totalBytes;
      },
    },
  );
  if (!result.ok) {
    return result.error.code === 'BAD_USER_INPUT' ? result.error.fields : {};
  }
  localStorage.setItem('token', result.data.token);
  return {};
}
