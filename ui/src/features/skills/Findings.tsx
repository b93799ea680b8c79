/** What was found in the files, worst first; with `onOpen` each leads to its line. */
import { Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { Schemas } from '@/api/client';

type Finding = Schemas['FindingView'];

const order = ['error', 'warning', 'info'];
const marks: Record<string, { icon: typeof IconInfoCircle; color: string; label: string }> = {
  error: { icon: IconCircleX, color: 'var(--mantine-color-error)', label: 'Error' },
  warning: { icon: IconAlertTriangle, color: 'var(--repertoire-warning)', label: 'Warning' },
  info: { icon: IconInfoCircle, color: 'var(--mantine-color-dimmed)', label: 'Note' },
};

export function Findings({ of, onOpen }: { of: Finding[]; onOpen?: (finding: Finding) => void }) {
  const sorted = [...of].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return (
    <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {sorted.map((finding) => (
        <li key={`${finding.file}:${finding.line}:${finding.code}:${finding.message}`}>
          {onOpen && finding.file ? (
            <UnstyledButton onClick={() => onOpen(finding)} w="100%">
              <Line finding={finding} linked />
            </UnstyledButton>
          ) : (
            <Line finding={finding} />
          )}
        </li>
      ))}
    </Stack>
  );
}

function Line({ finding, linked = false }: { finding: Finding; linked?: boolean }) {
  const known = marks[finding.level] ?? marks.info;
  if (!known) return null;
  const Mark = known.icon;
  const place = finding.file ? `${finding.file}${finding.line ? `:${finding.line}` : ''}` : null;
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <Mark
        size={16}
        color={known.color}
        role="img"
        aria-label={known.label}
        style={{ flex: 'none', marginTop: 3 }}
      />
      <Text size="sm" style={{ overflowWrap: 'anywhere' }} component="span">
        {finding.message}
        {place && (
          <Text span size="sm" c="dimmed" td={linked ? 'underline' : undefined} ml={6}>
            {place}
          </Text>
        )}
      </Text>
    </Group>
  );
}
