import { Page } from '@/components/page';

export default function NewSkillPage() {
  return <Page title="NewSkillPage">…</Page>;
}
