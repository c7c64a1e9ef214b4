import path from 'node:path';
import { allFiles } from '../documents/support/aftermath.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { DISKS, useDisk } from './support/disks.ts';
import { me } from './support/questions.ts';

const workshop = useWorkshop();

describe.each(DISKS)('with $name', ({ openDisk }) => {
  const used = useDisk(workshop, openDisk, (folder) => ({ STORAGE_DIR: path.join(folder, 'storage') }));

  test('a full storage keeps no doctor half, lets patients in, and works again when there is room', async () => {
    const { disk, gateway, url } = used;
    const api = restApi(url);
    const patient = aPatient();
    authenticated(await api.registerPatient(patient));
    const before = await workshop.database.count();
    const storage = path.join(disk.folder, 'storage');
    await disk.fill(gateway.pid);
    const apis = [api, graphqlApi(url), api];
    const refusals = await Promise.all(apis.map((each) => each.registerDoctor(aDoctor())));
    for (const refusal of refusals) {
      expect(refused(refusal, 'unavailable').http.headers.get('retry-after')).toBe('2');
    }
    await eventually(async () => expect(await allFiles(storage)).toEqual([]));
    expect(await workshop.database.count()).toEqual(before);
    const { token } = authenticated(await api.login(patient));
    expect((await me(url, token)).email).toBe(patient.email);
    authenticated(await api.registerPatient(aPatient()));
    await disk.makeRoom(gateway.pid);
    registeredDoctor(await api.registerDoctor(aDoctor()));
    expect(await allFiles(storage)).toHaveLength(3);
  });
});
