import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Doctor = components['schemas']['DoctorRegistration'];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const email = `${crypto.randomUUID()}@example.org`;
const password = `Pw-${crypto.randomUUID()}`;

const patient = await client.POST('/api/v1/auth/register/patient', {
  body: { name: 'Pat Example', email, password },
});
const role: 'doctor' | 'patient' | 'reviewer' | undefined = patient.data?.data.role;

const login = await client.POST('/api/v1/auth/login', { body: { email, password } });
const token: string = login.data?.token ?? '';

const taken = await client.POST('/api/v1/auth/register/patient', {
  body: { name: 'Pat Example', email, password },
});
const texts: string[] | undefined =
  taken.error && 'errors' in taken.error ? taken.error.errors.email : undefined;

const logout = await client.POST('/api/v1/auth/logout', { headers: { Authorization: `Bearer ${token}` } });
const message: 'Logged out' | undefined = logout.data?.message;

const pdf = new File(['%PDF-1.7\n%%EOF\n'], 'document.pdf', { type: 'application/pdf' });
const doctor = await client.POST('/api/v1/auth/register/doctor', {
  body: {
    name: 'Dr. Ada Example',
    email: `${crypto.randomUUID()}@example.org`,
    password,
    phone: '+49 30 7654321',
    specialization: 'Cardiology',
    license_number: 'L-1024',
    license_file: pdf,
    diploma_file: pdf,
    certification_file: pdf,
  },
  bodySerializer(body: Doctor) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) {
      form.append(name, value);
    }
    return form;
  },
});
const certification: string | undefined = doctor.data?.data.profile.certificationUrl;

process.stdout.write(JSON.stringify({ role, texts, message, certification, status: taken.response.status }));
