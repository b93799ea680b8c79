/** One thing whole, beside the list it was picked from. */
import { Code, Drawer, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppLink } from './AppLink';

type DetailDrawerProps = {
  title: string;
  /** What is shown; the drawer is closed while there is none. */
  id: string | undefined;
  onClose: () => void;
  children: (id: string) => ReactNode;
};

export function DetailDrawer({ title, id, onClose, children }: DetailDrawerProps) {
  return (
    <Drawer opened={Boolean(id)} onClose={onClose} position="right" size="lg" title={title}>
      {id && children(id)}
    </Drawer>
  );
}

/** A part of it with its heading. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h6" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

/** The revision that something was done with, in the history of its skill. */
export function RevisionLink({ skill, revision }: { skill: string; revision: number }) {
  return (
    <AppLink to="/skills/$skillId/history" params={{ skillId: skill }} search={{ to: revision }} size="sm">
      revision {revision}
    </AppLink>
  );
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <Code block tabIndex={0} role="group" aria-label={label}>
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}

type FactTableProps = { rows: [name: string, value: string][]; nameWidth?: string; label?: string };

export function FactTable({ rows, nameWidth = '40%', label }: FactTableProps) {
  return (
    <Table verticalSpacing={6} aria-label={label}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={500} w={nameWidth}>
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
