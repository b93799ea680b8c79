/** Chooses an icon: a few that fit skills, found by a word, or any emoji that is typed. */
import { ActionIcon, Button, Group, Input, Popover, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SkillIcon } from '../SkillIcon';
import { icons } from './icons';

type Props = { value: string; title: string; disabled: boolean; onChange: (icon: string) => void };

export function IconPicker({ value, title, disabled, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const [word, setWord] = useState('');
  const asked = word.trim().toLowerCase();
  const found = icons.filter(([, about]) => about.includes(asked));
  const typed = /\p{Extended_Pictographic}/u.test(word) ? word.trim() : null;
  const choose = (icon: string) => {
    onChange(icon);
    setOpen(false);
    setWord('');
  };
  return (
    <Input.Wrapper label="Icon" labelElement="div">
      <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withinPortal shadow="md">
        <Popover.Target>
          <Button
            h={36}
            px={6}
            disabled={disabled}
            onClick={() => setOpen((now) => !now)}
            aria-label={value ? `Icon ${value}: change` : 'Choose an icon'}
            style={{ display: 'block' }}
          >
            <SkillIcon icon={value || null} title={title} size={26} />
          </Button>
        </Popover.Target>
        <Popover.Dropdown w={304} aria-label="Icons">
          <TextInput
            data-autofocus
            size="sm"
            mb="xs"
            aria-label="Find an icon"
            placeholder="Find by a word, or type an emoji"
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
            onKeyDown={(event) => {
              const first = typed ?? found[0]?.[0];
              if (event.key === 'Enter' && word.trim() && first) {
                event.preventDefault();
                choose(first);
              }
            }}
          />
          <SimpleGrid cols={8} spacing={2} mah={196} style={{ overflowY: 'auto' }}>
            {(typed ? ([[typed, 'typed']] as const) : found).map(([icon, about]) => (
              <ActionIcon key={icon} size={32} aria-label={about} title={about} onClick={() => choose(icon)}>
                <Text size="lg" span>
                  {icon}
                </Text>
              </ActionIcon>
            ))}
          </SimpleGrid>
          {!typed && found.length === 0 && (
            <Text size="sm" c="dimmed">
              None by that word; type or paste an emoji.
            </Text>
          )}
          {value && (
            <Group mt="xs">
              <Button size="compact-sm" onClick={() => choose('')}>
                No icon
              </Button>
            </Group>
          )}
        </Popover.Dropdown>
      </Popover>
    </Input.Wrapper>
  );
}
