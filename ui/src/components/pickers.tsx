/** One way to choose a skill, an agent or a person, wherever one is asked for. */
import {
  Combobox,
  Group,
  Loader,
  ScrollArea,
  Select,
  type SelectProps,
  Text,
  TextInput,
  useCombobox,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { agentsQuery, usersQuery } from '@/api/queries';
import { FacetMarks } from './badges';

type PickProps = Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  value: string | null;
  onChange: (id: string | null) => void;
};

export function AgentPicker(props: PickProps) {
  const agents = useQuery(agentsQuery).data ?? [];
  return (
    <Select
      searchable
      clearable
      placeholder="Any agent"
      nothingFoundMessage="No such agent"
      clearButtonProps={{ 'aria-label': 'Clear' }}
      data={agents.map((agent) => ({ value: agent.id, label: agent.title || agent.name }))}
      {...props}
    />
  );
}

export function UserPicker(props: PickProps) {
  const users = useQuery(usersQuery).data?.items ?? [];
  return (
    <Select
      searchable
      clearable
      placeholder="Anyone"
      nothingFoundMessage="No such person"
      clearButtonProps={{ 'aria-label': 'Clear' }}
      data={users.map((user) => ({ value: user.id, label: user.display_name || user.handle }))}
      {...props}
    />
  );
}

type Skill = Schemas['SkillView'];

/** Finds a skill by plain words, and by name where nothing is typed. */
export function SkillPicker({
  onPick,
  label = 'Add a skill',
  exclude = [],
}: {
  onPick: (skill: Skill) => void;
  label?: string;
  exclude?: string[];
}) {
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [words, setWords] = useState('');
  const [asked] = useDebouncedValue(words.trim(), 150);
  const found = useQuery({
    queryKey: ['skills', 'picker', asked],
    queryFn: async (): Promise<Skill[]> => {
      if (!asked) {
        const page = await call(
          api.GET('/api/v1/skills', { params: { query: { limit: 20, status: 'active' } } }),
        );
        return page.items as Skill[];
      }
      const answer = await call(
        api.POST('/api/v1/skills/search', {
          body: { query: asked, min_similarity: 0, limit: 20, explain: false },
        }),
      );
      return answer.items.map((item) => item.skill);
    },
    enabled: combobox.dropdownOpened,
  });
  const items = (found.data ?? []).filter((skill) => !exclude.includes(skill.id));
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(id) => {
        const skill = items.find((item) => item.id === id);
        if (skill) onPick(skill);
        setWords('');
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target>
        <TextInput
          label={label}
          placeholder="Type what it should do, or its name"
          leftSection={<IconSearch size={16} />}
          rightSection={found.isFetching ? <Loader size="xs" /> : null}
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="Skills">
          <ScrollArea.Autosize mah={280} type="scroll">
            {items.map((skill) => (
              <Combobox.Option key={skill.id} value={skill.id}>
                <Group justify="space-between" wrap="nowrap">
                  <div>
                    <Text size="sm" fw={550}>
                      {skill.title || skill.name}
                    </Text>
                    <Text size="xs" c="dimmed" lineClamp={1}>
                      {skill.description}
                    </Text>
                  </div>
                  <FacetMarks of={skill.facets} />
                </Group>
              </Combobox.Option>
            ))}
            {found.isSuccess && items.length === 0 && <Combobox.Empty>Nothing fits</Combobox.Empty>}
          </ScrollArea.Autosize>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
