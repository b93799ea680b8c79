/** Asks where a file stands. */
import { TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { FormButtons } from '@/components/FormButtons';

type Question = {
  title: string;
  confirm: string;
  first?: string;
  /** Why a path cannot be; null when it can. */
  problem: (path: string) => string | null;
};

/** The path; null when it was thought better of. */
export function askPath(question: Question): Promise<string | null> {
  return new Promise((resolve) => {
    const id = modals.open({
      title: question.title,
      onClose: () => resolve(null),
      children: (
        <PathForm
          {...question}
          done={(path) => {
            resolve(path);
            modals.close(id);
          }}
        />
      ),
    });
  });
}

function PathForm({
  confirm,
  first = '',
  problem,
  done,
}: Question & { done: (path: string | null) => void }) {
  const [path, setPath] = useState(first);
  const [tried, setTried] = useState(false);
  const wrong = problem(path.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (!wrong) done(path.trim());
      }}
    >
      <TextInput
        data-autofocus
        label="Path"
        description="Folders with slashes, such as references/glossary.md"
        value={path}
        onChange={(event) => setPath(event.currentTarget.value)}
        error={(tried || path !== first) && path ? wrong : null}
      />
      <FormButtons mt="md" onCancel={() => done(null)} disabled={wrong !== null}>
        {confirm}
      </FormButtons>
    </form>
  );
}
