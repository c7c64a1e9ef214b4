import { useGraphiQL } from '@graphiql/react';
import { useEffect, useRef } from 'react';
import { describeTabs } from './describe-tabs.ts';
import { fillExample } from './examples.ts';
import { settings } from './graphiql-settings.ts';
import { pageState, usePageState } from './page-state.ts';

/** The example variables of a tab: their template, and the text that they had last. */
interface Example {
  template: string;
  text: string;
}

/** Tells the page which tab is open, and keeps the example variables of the tabs new. It shows nothing. */
export function FollowTabs(): null {
  const { tabs, index, editor } = useGraphiQL((state) => ({
    tabs: state.tabs,
    index: state.activeTabIndex,
    editor: state.variableEditor,
  }));
  const { session } = usePageState();
  const tab = tabs[index];
  const examples = useRef<Map<string, Example>>(undefined);
  // The tabs of the first render are those that the server has sent.
  examples.current ??= new Map(
    tabs.map(({ id, variables }, at) => [
      id,
      { template: settings.operations[at]?.variables ?? '', text: variables ?? '' },
    ]),
  );

  const { id = '', operationName, variables } = tab ?? {};
  useEffect(() => {
    pageState.update({ tab: { id, operationName: operationName ?? '', variables: variables ?? '' } });
  }, [id, operationName, variables]);

  useEffect(() => {
    if (tabs.length > 0) {
      describeTabs(index);
    }
  }, [tabs, index]);

  useEffect(() => {
    const example = examples.current?.get(id);
    // Variables that the user has edited stay.
    if (!example || editor?.getValue() !== example.text) {
      return;
    }
    const text = fillExample(example.template, session);
    if (text !== example.text) {
      example.text = text;
      editor.setValue(text);
    }
  }, [id, session, editor]);
  return null;
}
