/** Text to take along: a command, an address, a secret that is shown once. */
import { ActionIcon, Box, Code, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './Copyable.module.css';

export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <Box>
      <Text size="sm" fw={500} mb={4}>
        {label}
      </Text>
      <Group gap={0} wrap="nowrap" align="stretch" className={classes.frame}>
        <Code block className={classes.text} tabIndex={0} role="group" aria-label={label}>
          {text}
        </Code>
        <CopyMark text={text} label={`Copy: ${label}`} />
      </Group>
    </Box>
  );
}

export function CopyMark({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon
            onClick={copy}
            aria-label={copied ? 'Copied' : label}
            size={36}
            className={classes.copy}
          >
            {copied ? <IconCheck size={17} /> : <IconCopy size={17} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
