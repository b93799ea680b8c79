/** What a skill says about itself, as a form. */
import {
  CloseButton,
  Code,
  Fieldset,
  Grid,
  Group,
  Input,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/client';
import { meQuery, tagsQuery } from '@/api/queries';
import { told } from '@/components/feedback';
import { SkillPicker } from '@/components/pickers';
import { SaveBar } from '@/components/SaveBar';
import { counted } from '@/components/time';
import { useUnsavedGuard } from '@/components/unsaved';
import { Newer } from '../Newer';
import { rightsOf } from '../rights';
import { useBase } from '../useBase';
import { savedSkill, useSkill, useSkillActions } from '../useSkill';
import { Facts } from './Facts';
import { changedFields, editOf, type Field, type Fields, fieldsOf, saidOf, typedSince } from './fields';
import { IconPicker } from './IconPicker';

export default function InfoTab() {
  const skill = useSkill();
  const me = useQuery(meQuery).data;
  const tags = useQuery(tagsQuery).data?.items.map(({ tag }) => tag) ?? [];
  const [changes, setChanges] = useState<Partial<Fields>>({});
  const [message, setMessage] = useState('');
  const [error, setError] = useState<unknown>(null);
  const touched = Object.keys(changes).length > 0;
  const [base, setBase] = useBase(skill, touched);
  const before = fieldsOf(base);
  const shown = { ...before, ...changes };
  const changed = changedFields(before, changes);
  const { edit } = useSkillActions(base);
  const [saving, setSaving] = useState(false);
  useUnsavedGuard(changed.length > 0);

  const locked = !me || !rightsOf(me, skill).edit;
  const said = saidOf(error);
  const put = <F extends Field>(field: F, value: Fields[F]) => {
    setChanges((now) => ({ ...now, [field]: value }));
    setError(null);
  };
  const text = (field: Field) => ({
    value: String(shown[field]),
    onChange: (event: { currentTarget: { value: string } }) => put(field, event.currentTarget.value),
    error: said[field] ? messageOf(new Error(said[field])) : undefined,
  });
  const discard = () => {
    setChanges({});
    setMessage('');
    setError(null);
  };
  const save = async () => {
    setError(null);
    setSaving(true);
    try {
      const saved = await edit({ ...editOf(before, changes), message, expected_revision: base.revision });
      if (!saved) return;
      const now = await savedSkill(saved.skill);
      setBase(now);
      // What was typed meanwhile is not saved yet.
      setChanges((latest) => typedSince(changes, latest));
      setMessage('');
      told(saved.outcome === 'unchanged' ? 'Nothing changed' : `Saved as revision ${saved.skill.revision}`);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSaving(false);
    }
  };
  const empty = !shown.name.trim()
    ? 'A name is needed'
    : !shown.description.trim()
      ? 'A description is needed'
      : null;

  return (
    <>
      {touched && !saving && <Newer base={base} now={skill} />}
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Fieldset disabled={locked} variant="unstyled">
            <Stack>
              <Group align="flex-start" wrap="nowrap">
                <IconPicker
                  value={shown.icon}
                  title={shown.title || shown.name}
                  disabled={locked}
                  onChange={(icon) => put('icon', icon)}
                />
                <TextInput
                  flex={1}
                  label="Title"
                  placeholder={shown.name}
                  maxLength={255}
                  {...text('title')}
                />
              </Group>
              <TextInput
                label="Name"
                description="Lower-case words with hyphens. Agents load the skill by it."
                required
                maxLength={64}
                {...text('name')}
              />
              <Textarea
                label="Description"
                description="What it does and when to use it. This is what a model decides by."
                required
                rows={4}
                resize="vertical"
                maxLength={1024}
                {...text('description')}
              />
              <Textarea
                label="Example prompts"
                description="Requests it serves, one per line. Search finds the skill by them."
                rows={3}
                resize="vertical"
                value={shown.example_prompts.join('\n')}
                onChange={(event) => put('example_prompts', lines(event.currentTarget.value))}
                error={said.example_prompts}
              />
              <TagsInput
                label="Tags"
                placeholder={shown.tags.length ? undefined : 'finance, reporting'}
                data={tags}
                maxTags={50}
                disabled={locked}
                value={shown.tags}
                onChange={(value) => put('tags', value)}
                error={said.tags}
              />
              <TagsInput
                label="Suggested tools"
                description="Tools it commonly uses"
                disabled={locked}
                value={shown.suggested_tools}
                onChange={(value) => put('suggested_tools', value)}
                error={said.suggested_tools}
              />
              {shown.extends ? (
                <Input.Wrapper label="Extends" labelElement="div" error={said.extends}>
                  <Group gap={4}>
                    <Code>{shown.extends}</Code>
                    <CloseButton
                      size="sm"
                      disabled={locked}
                      aria-label="Extend nothing"
                      onClick={() => put('extends', '')}
                    />
                  </Group>
                </Input.Wrapper>
              ) : (
                !locked && (
                  <SkillPicker
                    label="Extends"
                    exclude={[skill.id]}
                    onPick={(picked) => put('extends', picked.name)}
                  />
                )
              )}
              <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
                <TextInput
                  label="License"
                  placeholder="Apache-2.0"
                  maxLength={500}
                  miw={220}
                  {...text('license')}
                />
                <TextInput
                  label="Compatibility"
                  placeholder="Needs git and Python 3.11"
                  maxLength={500}
                  miw={220}
                  {...text('compatibility')}
                />
              </Group>
            </Stack>
          </Fieldset>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Facts skill={skill} />
        </Grid.Col>
      </Grid>
      <SaveBar
        changed={changed.length > 0}
        what={`${counted(changed.length, 'unsaved change')}: ${changed.map((field) => field.replaceAll('_', ' ')).join(', ')}`}
        blocked={empty}
        message={message}
        onMessage={setMessage}
        onSave={() => void save()}
        onDiscard={discard}
        saving={saving}
        error={error}
      />
    </>
  );
}

/** Lines as they are typed: an empty last one is the one being written. */
function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
