package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"mago/eventstore"
)

// write is the writing goroutine: it ends when the store is closing and nothing waits any more.
func (s *Store) write() {
	defer close(s.stopped)
	defer s.endSession()
	for {
		var first *pending
		select {
		case first = <-s.queue:
		case <-s.closing:
			select {
			case first = <-s.queue:
			default:
				return
			}
		}
		s.store(first)
	}
}

// store writes the append and what else waits in one commit, and answers them all. The connection is held no longer than that.
func (s *Store) store(first *pending) {
	err := s.onConn(func(w *session) error {
		if err := w.begin(); err != nil {
			s.refuse(first, failed("begin to append", err))
			return nil
		}
		return s.group(w, first)
	})
	if err != nil {
		s.refuse(first, failed("append", err))
	}
}

// onConn runs f on the writing connection, and fails only if that can't be had. If f returns driver.ErrBadConn, the connection is
// thrown away.
func (s *Store) onConn(f func(*session) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.busyTimeout)
	defer cancel()
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // only gives it back to the pool
	_ = conn.Raw(func(c any) error {
		if s.session == nil || s.session.conn != c {
			s.session = newSession(c.(driver.Conn))
		}
		bad := f(s.session)
		if bad != nil {
			s.session.close()
			s.session = nil
		}
		return bad
	})
	return nil
}

// endSession frees the session's statements before the connection is closed.
func (s *Store) endSession() {
	if s.session != nil {
		_ = s.onConn(func(w *session) error { w.close(); return nil })
		s.session = nil
	}
}

// refuse answers the append and all that wait with err: when the database can't be written now, each of them would find that out
// after the same wait.
func (s *Store) refuse(first *pending, err error) {
	for p := first; p != nil; p = s.next() {
		if p.claim.CompareAndSwap(false, true) {
			p.done <- err
		}
	}
}

// next returns an append that waits now, or nil.
func (s *Store) next() *pending {
	select {
	case p := <-s.queue:
		return p
	default:
		return nil
	}
}

// group writes the append and those that come while it does so into the transaction, commits it, and only then answers.
// It returns driver.ErrBadConn if the connection is of no use afterwards.
func (s *Store) group(w *session, first *pending) error {
	var taken []*pending  // in the transaction
	var refused []refusal // by a conflict or a statement; told after the commit, since others' outcome isn't theirs
	for p := first; p != nil; {
		if p.claim.CompareAndSwap(false, true) {
			err, broken := w.append(p.batch)
			switch {
			case broken != nil:
				answer(append(taken, p), failed("append", broken))
				tell(refused)
				return w.rollback()
			case err != nil:
				refused = append(refused, refusal{p, err})
			default:
				taken = append(taken, p)
			}
		}
		if len(taken)+len(refused) >= maxBatch {
			break
		}
		p = s.next()
	}
	defer func() { tell(refused) }()
	if len(taken) == 0 {
		return w.rollback()
	}
	err := s.commit(w)
	if err == nil {
		answer(taken, nil)
		return nil
	}
	return s.commitFailed(w, taken, err)
}

// commitFailed answers the appends of a transaction whose COMMIT returned an error.
func (s *Store) commitFailed(w *session, taken []*pending, err error) error {
	bad := w.rollback()
	switch code(err) {
	case sqlite3.SQLITE_CONSTRAINT:
		// A deferred foreign key of one of them: each alone shows whose.
		if len(taken) == 1 || bad != nil {
			answer(taken, failed("commit the append", err))
			return bad
		}
		for i, p := range taken {
			if bad := s.alone(w, p); bad != nil {
				answer(taken[i+1:], failed("commit the append", err))
				return bad
			}
		}
		return nil
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL:
		// Refused before the end of the commit was written.
		answer(taken, failed("commit the append", err))
		return bad
	}
	// The commit may be in the file though its fsync failed, and then counts after a crash.
	answer(taken, fmt.Errorf("commit the append: %w: %w", eventstore.ErrUnknownOutcome, err))
	return driver.ErrBadConn
}

// alone writes a claimed append in a transaction of its own.
func (s *Store) alone(w *session, p *pending) error {
	if err := w.begin(); err != nil {
		p.done <- failed("begin to append", err)
		return nil
	}
	if err, broken := w.append(p.batch); err != nil || broken != nil {
		if err == nil {
			err = failed("append", broken)
		}
		p.done <- err
		return w.rollback()
	}
	if err := s.commit(w); err != nil {
		return s.commitFailed(w, []*pending{p}, err)
	}
	p.done <- nil
	return nil
}

type refusal struct {
	p   *pending
	err error
}

func tell(refused []refusal) {
	for _, r := range refused {
		r.p.done <- r.err
	}
}

func answer(ps []*pending, err error) {
	for _, p := range ps {
		p.done <- err
	}
}
