import { openApiDocument } from './openapi.ts';

interface DocumentedText {
  /** The name in camelCase, for both test APIs. */
  field: string;
  /** The name in the error texts. */
  label: string;
  maxCharacters: number;
}

interface Property {
  maxLength?: number;
  format?: string;
}

/** The plain texts of a doctor's registration, with their limits as schema/openapi.yaml documents them. */
export function documentedDoctorTexts(): DocumentedText[] {
  const { DoctorRegistration } = openApiDocument().components.schemas;
  const { properties } = DoctorRegistration as { properties: Record<string, Property> };
  return Object.entries(properties).flatMap(([name, { maxLength, format }]) =>
    maxLength === undefined || format !== undefined
      ? []
      : [
          {
            field: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
            label: name.replaceAll('_', ' '),
            maxCharacters: maxLength,
          },
        ],
  );
}
