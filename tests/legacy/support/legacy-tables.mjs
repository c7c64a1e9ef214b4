import { createHash } from 'node:crypto';

/** Documented in legacy-tables.d.mts. */
export const TOKENABLE_TYPE = 'App\\Models\\Account';

const TABLES = `
  CREATE TABLE accounts (
    id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name varchar(255) NOT NULL,
    email varchar(255) NOT NULL,
    phone varchar(255) NOT NULL,
    dob date NULL,
    role enum('patient','doctor','admin') NOT NULL DEFAULT 'patient',
    password varchar(255) NOT NULL,
    created_at timestamp NULL,
    updated_at timestamp NULL,
    UNIQUE KEY accounts_email_unique (email),
    UNIQUE KEY accounts_phone_unique (phone)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
  CREATE TABLE doctor_profiles (
    id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
    user_id bigint unsigned NOT NULL,
    specialization varchar(255) NOT NULL,
    license_number varchar(255) NOT NULL,
    license_file_path varchar(255) NOT NULL,
    diploma_file_path varchar(255) NOT NULL,
    certification_file_path varchar(255) NULL,
    current_institution varchar(255) NULL,
    work_history text NULL,
    publications text NULL,
    practice_address varchar(255) NULL,
    created_at timestamp NULL,
    updated_at timestamp NULL,
    UNIQUE KEY doctor_profiles_user_id_unique (user_id),
    UNIQUE KEY doctor_profiles_license_number_unique (license_number),
    CONSTRAINT doctor_profiles_user_id_foreign FOREIGN KEY (user_id) REFERENCES accounts (id) ON DELETE CASCADE
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
  CREATE TABLE personal_access_tokens (
    id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
    tokenable_type varchar(255) NOT NULL,
    tokenable_id bigint unsigned NOT NULL,
    name varchar(255) NOT NULL,
    token varchar(64) NOT NULL,
    abilities text NULL,
    last_used_at timestamp NULL,
    expires_at timestamp NULL,
    created_at timestamp NULL,
    updated_at timestamp NULL,
    UNIQUE KEY personal_access_tokens_token_unique (token),
    KEY personal_access_tokens_tokenable_type_tokenable_id_index (tokenable_type, tokenable_id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
`;

/** Documented in legacy-tables.d.mts. */
export const createLegacyTables = async (query) => void (await query(TABLES));

/** SQL for 53 characters in the form of a bcrypt hash, which differ from row to row. Nobody knows a password for it. */
const HASH = `CONCAT('$2y$10$', LEFT(REPLACE(TO_BASE64(UNHEX(SHA2(seq, 384))), '+', '.'), 53))`;
const CREATED_AT = `TIMESTAMP('2020-01-01 00:00:00') + INTERVAL seq SECOND`;
const pathIn = (group) =>
  `CONCAT('doctor_profiles/${group}/', LEFT(SHA2(CONCAT('${group}', seq), 256), 40), '.pdf')`;
/** SQL for the 40 characters of a token, as legacyTokenOf makes them. */
const SECRET = `LEFT(SHA2(CONCAT('token ', seq), 256), 40)`;

/** Documented in legacy-tables.d.mts. */
export function legacyTokenOf(id) {
  return `${id}|${createHash('sha256').update(`token ${id}`).digest('hex').slice(0, 40)}`;
}

/** Documented in legacy-tables.d.mts. */
export async function addLegacyRows(
  query,
  { accounts, tokens = 0, doctorEvery = 10, firstId = 1, password },
) {
  const lastId = firstId + accounts - 1;
  const isDoctor = doctorEvery > 0 ? `seq % ${doctorEvery} = 0` : 'FALSE';
  await query(
    `INSERT INTO accounts (id, name, email, phone, dob, role, password, created_at, updated_at)
     SELECT seq, CONCAT('Person ', seq), CONCAT('person.', seq, '@example.org'), CONCAT('+1555', LPAD(seq, 10, '0')),
       IF(seq % 4 = 0, NULL, DATE('1950-01-01') + INTERVAL seq % 20000 DAY), IF(${isDoctor}, 'doctor', 'patient'),
       ${password === undefined ? HASH : '?'}, ${CREATED_AT}, ${CREATED_AT}
     FROM seq_${firstId}_to_${lastId}`,
    password === undefined ? [] : [password],
  );
  if (doctorEvery > 0) {
    await query(
      `INSERT INTO doctor_profiles
       SELECT seq, seq, 'Cardiology', CONCAT('MD-', seq), ${pathIn('licenses')}, ${pathIn('diplomas')},
         ${pathIn('certifications')}, 'City Hospital', NULL, NULL, NULL, ${CREATED_AT}, ${CREATED_AT}
       FROM seq_${firstId}_to_${lastId} WHERE ${isDoctor}`,
    );
  }
  if (tokens > 0) {
    await query(
      `INSERT INTO personal_access_tokens
       SELECT seq, ?, ${firstId} + (seq - ${firstId}) % ${accounts}, 'auth-token', SHA2(${SECRET}, 256), '["*"]', NULL, NULL,
         ${CREATED_AT}, ${CREATED_AT}
       FROM seq_${firstId}_to_${firstId + tokens - 1}`,
      [TOKENABLE_TYPE],
    );
  }
}
