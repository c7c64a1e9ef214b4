import { useState } from 'react';
import { TextField } from '../../form/text-field.tsx';

type Field = Parameters<typeof TextField>[0]['field'];

/**
 * The token of a mailed link, as the field `token` of a form. It is shown only if it must be typed, or the gateway refuses it.
 * @param givenToken empty if the page was not opened by a link
 */
export function useLinkCode(givenToken: string) {
  const [isShown, setShown] = useState(givenToken === '');
  return {
    handles(error: object) {
      const { token } = 'fields' in error ? Object(error.fields) : {};
      setShown(isShown || token !== undefined);
      return false;
    },
    fieldFor: (field: Field, hint: string) => (
      <TextField
        field={field}
        hint={hint}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        hidden={!isShown}
      />
    ),
  };
}
