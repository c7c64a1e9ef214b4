import { startNotice } from '../../../src/app/start-notice.ts';
import { readConfig } from '../../../src/config/config.ts';

const ADDRESSES = {
  address: 'http://127.0.0.1:4000',
  baseUrl: 'http://127.0.0.1:4000',
  metrics: undefined,
};

test.each([
  [{ STORAGE_DIR: '/srv/documents' }, 'documents /srv/documents\n'],
  [{ STORAGE_DIR: '/srv/documents', DOCUMENT_STORE: 's3', S3_BUCKET: 'clinic' }, 'documents s3://clinic\n'],
])('the start line says where documents are: %j', (environment, end) => {
  expect(startNotice(ADDRESSES, readConfig(environment), 'line')).toContain(end);
});

test('the start line says where backups are, and that documents are not in them', () => {
  const config = readConfig({ BACKUP_DIR: '/srv/backups' });
  expect(startNotice(ADDRESSES, config, 'line')).toContain(
    'backups /srv/backups (of the data, not of the documents)',
  );
  expect(JSON.parse(startNotice(ADDRESSES, config, 'json'))).toMatchObject({ backups: '/srv/backups' });
});
