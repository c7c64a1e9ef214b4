import process = require('node:process');
import client = require('@auth-gateway/client');

async function main(url: string, email: string) {
  const { registerDoctor, me } = client.createAuthClient({ url });
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
  const registered = await registerDoctor(doctor);
  const account = await me();
  const answers = [registered.ok && registered.data.account.role, account.ok && account.data.profile];
  process.stdout.write(JSON.stringify(answers));
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
