import { argv, stdout } from 'node:process';
import { createAuthClient } from '@auth-gateway/client';

async function main(url: string, email: string) {
  const client = createAuthClient({ url });
  const doctor = {
    name: 'Cjs',
    email,
    password: 'correct horse',
    phone: '+49 30 1234567',
    specialization: 'Surgery',
    licenseNumber: 'L-1',
    licenseFile: 'license.pdf',
    diplomaFile: new Blob(['%PDF-1.4\n'], { type: 'application/pdf' }),
    certificationFile: 'certification.pdf',
  };
  const registered = await client.registerDoctor(doctor);
  const me = await client.me();
  stdout.write(JSON.stringify([registered.ok && registered.data.account.role, me.ok && me.data.profile]));
}

void main(argv[2] ?? '', argv[3] ?? '');
