package bot

import (
	"slices"
	"sort"

	"mago/domain/card"
)

// holder is who holds some of the cards that are not seen: a seat, or the rest of the deck.
type holder struct {
	size  int
	voids card.Set // cards that it can't hold, whole suits
}

// sampler deals cards to holders so that every deal that is possible is as likely as any other.
//
// Holders that can hold any card make no difference, so only the others, the bound, are counted, one after the other. For each of them the cards fall into
// classes by which of the bound from it on can hold them. The number of deals in which it gets so many of each class is a product of binomials and of what
// can be done with the rest by those after it. So a hand's numbers are drawn by counting, and the cards of each class at random.
type sampler struct {
	holders []holder
	bound   []int     // holders with voids
	free    []int     // the others
	steps   []serving // one for each of the bound
	first   classes
	ways    map[state]count
	options map[state][]option
	cards   []card.Card // scratch
}

const maxClasses = 5

// classes are the cards of each class.
type classes [maxClasses]card.Set

// serving is the cards' classes when one of the bound is served.
type serving struct {
	size int
	can  [maxClasses]bool // it can hold the class
	next [maxClasses]int8 // where the class is merged into when the next is served
}

// state is how many cards are left of each class when one of the bound is to be served.
type state struct {
	step int8
	left [maxClasses]int8
}

// option is a way to serve a holder: how many it takes of each class, and in how many deals this or an option listed before it happens.
type option struct {
	take [maxClasses]int8
	next state
	upTo count
}

// newSampler returns nil where no deal is possible. The sizes must add up to the number of cards.
func newSampler(pool card.Set, holders []holder) *sampler {
	s := &sampler{holders: holders, ways: map[state]count{}, options: map[state][]option{}}
	for i, h := range holders {
		if h.voids&pool != 0 {
			s.bound = append(s.bound, i)
		} else {
			s.free = append(s.free, i)
		}
	}
	slices.SortStableFunc(s.bound, func(a, b int) int { // the fewest ways first
		return (holders[b].voids & pool).Len() - (holders[a].voids & pool).Len()
	})
	s.prepare(pool)
	if s.count(s.start()) == (count{}) {
		return nil
	}
	return s
}

// prepare sorts the parts of the pool, suits and the rest, into the classes of every step.
func (s *sampler) prepare(pool card.Set) {
	parts := []card.Set{pool & (card.Wizards | card.Jesters)}
	for _, suit := range card.Suits {
		parts = append(parts, pool&card.OfSuit(suit))
	}
	s.steps = make([]serving, len(s.bound))
	var before []int
	for step := range len(s.bound) + 1 {
		class := s.classify(parts, step)
		for i, k := range class {
			if step == 0 {
				s.first[k] |= parts[i]
			} else {
				s.steps[step-1].next[before[i]] = int8(k) //nolint:gosec // below 5
			}
			if step < len(s.bound) {
				h := s.holders[s.bound[step]]
				s.steps[step].size, s.steps[step].can[k] = h.size, h.voids&parts[i] == 0
			}
		}
		before = class
	}
}

// classify returns the class of each part: two are in the same if the bound from a step on hold both or neither.
func (s *sampler) classify(parts []card.Set, step int) (class []int) {
	var seen []uint
	for _, part := range parts {
		can := uint(0)
		for b, i := range s.bound[step:] {
			if part != 0 && s.holders[i].voids&part != 0 {
				can |= 1 << b
			}
		}
		k := slices.Index(seen, can)
		if k < 0 {
			k, seen = len(seen), append(seen, can)
		}
		class = append(class, k)
	}
	return class
}

func (s *sampler) start() (at state) {
	for k, c := range s.first {
		at.left[k] = int8(c.Len()) //nolint:gosec // at most 60
	}
	return at
}

// count counts the deals to the bound from a state on.
func (s *sampler) count(at state) count {
	if int(at.step) == len(s.bound) {
		return count{low: 1}
	}
	total, ok := s.ways[at]
	if !ok {
		s.each(at, func(o option, ways uint64) { total = total.plus(s.count(o.next).times(ways)) })
		s.ways[at] = total
	}
	return total
}

// each calls f with every way to serve a holder, and how many ways there are to take so many cards of each class.
func (s *sampler) each(at state, f func(o option, ways uint64)) {
	step := &s.steps[at.step]
	var from func(k, size int, ways uint64, o option)
	from = func(k, size int, ways uint64, o option) {
		if k == maxClasses {
			if size == 0 {
				f(o, ways)
			}
			return
		}
		left := int(at.left[k])
		most := 0
		if step.can[k] {
			most = min(size, left)
		}
		for n := range most + 1 {
			p := o
			p.take[k] = int8(n)
			p.next.left[step.next[k]] += int8(left - n) //nolint:gosec // at most 60
			from(k+1, size-n, ways*choose[left][n], p)
		}
	}
	from(0, step.size, 1, option{next: state{step: at.step + 1}})
}

// list returns the ways to serve a holder.
func (s *sampler) list(at state) []option {
	list, ok := s.options[at]
	if ok {
		return list
	}
	var upTo count
	s.each(at, func(o option, ways uint64) {
		if n := s.count(o.next).times(ways); n != (count{}) {
			upTo = upTo.plus(n)
			o.upTo = upTo
			list = append(list, o)
		}
	})
	s.options[at] = list
	return list
}

// deal draws what each holder holds.
func (s *sampler) deal(r *random, out []card.Set) {
	from := s.first
	at := s.start()
	for i := range s.steps {
		list := s.list(at)
		n := r.belowCount(list[len(list)-1].upTo)
		o := &list[sort.Search(len(list)-1, func(i int) bool { return n.less(list[i].upTo) })]
		var got card.Set
		var rest classes
		for k := range from {
			got |= take(r, &from[k], int(o.take[k]))
			rest[s.steps[i].next[k]] |= from[k]
		}
		out[s.bound[i]] = got
		from, at = rest, o.next
	}
	rest := s.cards[:0]
	for _, of := range from {
		for ; of != 0; of &= of - 1 {
			rest = append(rest, of.First())
		}
	}
	s.cards = rest
	for _, i := range s.free {
		out[i] = 0
		for range s.holders[i].size {
			j, end := r.below(uint64(len(rest))), len(rest)-1
			out[i] = out[i].With(rest[j])
			rest[j], rest = rest[end], rest[:end]
		}
	}
}

// take draws n of the cards.
func take(r *random, from *card.Set, n int) (got card.Set) {
	for range n {
		c := from.Nth(int(r.below(uint64(from.Len())))) //nolint:gosec // below 60
		*from, got = from.Without(c), got.With(c)
	}
	return got
}
